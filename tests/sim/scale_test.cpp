// SPDX-License-Identifier: MIT
// What a large fleet costs, in messages. tools/simulate --scale measures time and memory.
#include "sim/world/scale.hpp"

#include <doctest/doctest.h>

using namespace fleet::sim;

TEST_CASE("a slot costs as many messages in a large fleet as in a small one") {
  const auto small = run_large(16, 5min);
  const auto large = run_large(128, 5min);
  const auto for_each = [](const scale_cost& x) {
    return static_cast<double>(x.messages) / static_cast<double>(x.slots);
  };
  CHECK(small.serving == 16);
  CHECK(large.serving == 128);
  CHECK(for_each(large) < 1.2 * for_each(small));
}
