// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <string>
#include <string_view>

namespace fleet::http {

/// How a launch ended.
inline constexpr std::array<std::string_view, 2> launch_outcomes{"ready", "failed"};
inline constexpr std::size_t launch_ready = 0;
inline constexpr std::size_t launch_failed = 1;

/// What ended a drain: no turn was left, its time was over, a second signal.
inline constexpr std::array<std::string_view, 3> drain_ends{"idle", "timeout", "hurried"};

/// What fleet_tally counts. Reads by any thread.
struct tally_counts {
  tally_counts();

  std::array<prometheus::Counter, launch_outcomes.size()> launches;
  prometheus::Histogram launch_time;
  prometheus::Counter losses;
  prometheus::Counter abandonments;
  prometheus::Counter unconfirmed;
  std::array<prometheus::Counter, drain_ends.size()> drains;
  prometheus::Histogram drain_time;

  std::mutex mutex;
  std::map<std::string, std::chrono::steady_clock::time_point> launching;  ///< by slot
};

}  // namespace fleet::http
