// SPDX-License-Identifier: MIT
#pragma once

#include "actions.hpp"
#include "text.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fleet::ctl {

/// Launches or removals under way, between two looks at the router.
template <class Item>
struct under_way {
  std::vector<std::unique_ptr<Item>> open;
  int status = exit_done;  // the worst so far

  /// Says by `conclude` how those have ended that did, and with `wait` shows how far the others
  /// are. Gives the exit status when none is left or --timeout is over; `late` words the latter
  /// around the first one's state.
  template <class Conclude>
  std::optional<int> show(const session& at, live_lines& live, bool wait, Conclude conclude,
                          const std::string& late, const std::string& goes_on) {
    lines now;
    lines brief;
    for (const auto& each : open) {
      if (each->settled()) {
        status = std::max(status, conclude(*each));
        continue;
      }
      now.push_back(each->progress());
      brief.push_back(each->brief());
    }
    std::erase_if(open, [](const auto& each) { return each->settled(); });
    if (open.empty()) {
      return status;
    }
    if (at.tells() && wait) {
      live.draw(now, brief);
    }
    if (at.late()) {
      return complain({exit_timed_out, late + rendered(brief.front(), {}) + goes_on});
    }
    return std::nullopt;
  }
};

}  // namespace fleet::ctl
