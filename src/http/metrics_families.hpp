// SPDX-License-Identifier: MIT
#pragma once

#include "metrics.hpp"
#include "metrics_text.hpp"

#include "fleet/core/admin.hpp"
#include "fleet/core/view.hpp"
#include "fleet/http/observers.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet::http {

/// One lane at the time of a scrape.
struct lane_sample {
  const lane_meter* meter = nullptr;
  std::size_t clients = 0;           ///< open connections
  std::size_t pooled = 0;            ///< idle connections to replicas
  std::chrono::nanoseconds busy{0};  ///< processor time of its thread so far
};

/// The process at the time of a scrape.
struct process_sample {
  std::uint64_t open_files = 0;
  std::uint64_t most_files = 0;
  std::uint64_t resident_bytes = 0;
  std::chrono::nanoseconds processor{0};
  std::chrono::system_clock::time_point started;
};

/// What a scrape has found.
struct router_sample {
  fleet_view fleet;
  pool_view pool;
  std::vector<lane_sample> lanes;
  process_sample process;
  std::string version;
  server_observers observers;
};

/// Every series there is: those of each replica in the table, and of no other, with zeros where
/// nothing happened yet.
[[nodiscard]] metric_families families_of(const router_sample& sample);

}  // namespace fleet::http
