// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fleet::sim {

/// What one large fleet cost.
struct scale_cost {
  std::size_t slots = 0;
  std::size_t serving = 0;           ///< in the end
  std::uint64_t start_messages = 0;  ///< until all served for the first time
  std::uint64_t messages = 0;        ///< in the time after that
  std::uint64_t deaths = 0;
  double seconds = 0;  ///< wall time for that
};

/// All slots launched, then 1 % of the processes die in each minute of `time`; no other faults.
[[nodiscard]] scale_cost run_large(std::size_t slots, duration time);

/// One simulated hour at this size, in words.
[[nodiscard]] std::string measure_scale(std::size_t slots);

}  // namespace fleet::sim
