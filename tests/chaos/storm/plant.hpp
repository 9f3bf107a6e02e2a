// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fleet::chaos {

// A fault that the tool makes itself, in its own clients or beside the router, to show that its
// rules catch it. Never in the product.
//   lost_piece   a client loses a piece of a whole answer
//   swapped      a client takes the answer of another conversation for its own
//   cut          a client loses the end of an answer while nothing is harmed
//   odd_error    a client sees an error that no page tells of
//   twin         a second process runs on a device
//   orphan       a process runs on the device of a free slot
//   unrecorded   the state file forgets a replica while the router is down
//   moved        a conversation changes its replica after the storm
//   held_turn    a turn never ends after the storm
//   leak         connections stay open after the storm
//   hard_end     the router is killed at the end instead of told to end
//   left_over    a process outlives the router's orderly end
enum class plant {
  none,
  lost_piece,
  swapped,
  cut,
  odd_error,
  twin,
  orphan,
  unrecorded,
  moved,
  held_turn,
  leak,
  hard_end,
  left_over
};

inline constexpr std::array<std::string_view, 13> plant_names{
    "none",       "lost_piece", "swapped",   "cut",  "odd_error", "twin",     "orphan",
    "unrecorded", "moved",      "held_turn", "leak", "hard_end",  "left_over"};

inline std::optional<plant> plant_named(std::string_view name) {
  for (std::size_t i = 0; i < plant_names.size(); ++i)
    if (plant_names[i] == name)
      return static_cast<plant>(i);
  return std::nullopt;
}

}  // namespace fleet::chaos
