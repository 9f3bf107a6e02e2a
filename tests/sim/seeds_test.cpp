// SPDX-License-Identifier: MIT
// The whole fleet against a world in which anything may go wrong. tools/simulate runs more seeds.
#include "sim/world/report.hpp"
#include "sim/world/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace fleet::sim;

namespace {

void check_seeds(std::uint64_t first, std::uint64_t count) {
  for (auto seed = first; seed < first + count; ++seed) {
    const auto end = run_seed(seed);
    INFO(report(seed, end, 60));
    CHECK_FALSE(end.broken.has_value());
  }
}

}  // namespace

TEST_CASE("seeds 1 to 5 break no rule") {
  check_seeds(1, 5);
}

TEST_CASE("seeds 6 to 10 break no rule") {
  check_seeds(6, 5);
}

TEST_CASE("seeds 11 to 15 break no rule") {
  check_seeds(11, 5);
}

TEST_CASE("the same seed gives the same run, told in words or not") {
  const auto silent = run_seed(7);
  const auto told = run_seed(7, 100);
  CHECK(silent.hash == told.hash);
  CHECK(silent.messages == told.messages);
  CHECK(told.last.size() == 100);
  CHECK(run_seed(8).hash != silent.hash);
}
