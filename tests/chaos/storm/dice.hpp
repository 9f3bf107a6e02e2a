// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/deadline.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace fleet::chaos {

// Random choices from a seed; the same ones on any machine. One thread.
class dice {
 public:
  explicit dice(std::uint64_t seed) : source_{seed} {}

  // 0 .. sides - 1.
  std::size_t below(std::size_t sides) { return static_cast<std::size_t>(source_() % sides); }
  bool one_in(std::size_t sides) { return below(sides) == 0; }
  rig::milliseconds between(rig::milliseconds least, rig::milliseconds most) {
    return least + rig::milliseconds{below(static_cast<std::size_t>((most - least).count()) + 1)};
  }
  template <class List>
  const auto& pick(const List& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937_64 source_;
};

}  // namespace fleet::chaos
