// SPDX-License-Identifier: MIT
// The router's answers as an operator reads them. Pure: time is an argument.
#pragma once

#include "lines.hpp"
#include "model.hpp"

#include <string>
#include <vector>

namespace fleet::ctl {

/// What the status is made of.
struct fleet_picture {
  std::string url;
  std::string version;
  health totals;
  pool members;
  std::vector<slot> slots;
};

/// Something the router does not put right by itself, and what to do.
struct concern {
  std::string what;
  std::string fix;
};

[[nodiscard]] paint paint_of(std::string_view phase_or_stage);

[[nodiscard]] lines replica_lines(const std::vector<replica>& replicas, wall_time now, bool wide);
[[nodiscard]] lines slot_lines(const std::vector<slot>& slots, wall_time now, bool wide);
[[nodiscard]] std::vector<concern> concerns_of(const fleet_picture& all, wall_time now);
/// One event on one line.
[[nodiscard]] line event_line(const fleet_event& event);
[[nodiscard]] lines session_lines(const conversation& of);
/// Totals, replicas, slots without one, and what needs a human: that last, or first where there may
/// not be room for all.
[[nodiscard]] lines status_lines(const fleet_picture& all, wall_time now,
                                 bool concerns_first = false);

}  // namespace fleet::ctl
