// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/world.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fleet::sim {

/// What to read about a run: empty when it broke no rule, else the rule and the last events before
/// that, `lines` of them. Runs the seed once more to have them, and says so when that went
/// otherwise.
[[nodiscard]] std::string report(std::uint64_t seed, const outcome_of_run& end, std::size_t lines);

}  // namespace fleet::sim
