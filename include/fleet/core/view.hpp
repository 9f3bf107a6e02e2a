// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/replica.hpp"
#include "fleet/core/session_view.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// One replica as GET /health shows it. Contract section 5.
struct replica_view {
  instance_id instance;
  std::string name;
  std::string url;
  phase now = phase::starting;
  bool ready = false;  ///< routable, or would be but for draining
  bool owned = false;  ///< launched by this router
  bool draining = false;
  std::uint64_t outstanding = 0;
  std::uint64_t routed = 0;
  std::string reason;                          ///< why it is not ready; empty when it is
  std::chrono::nanoseconds since{0};           ///< time spent in this phase so far
  placement place;                             ///< of an owned one
  std::uint64_t answers = 0;                   ///< turns whose turn_end has a first_byte
  std::chrono::nanoseconds first_byte_sum{0};  ///< of those together

  friend bool operator==(const replica_view&, const replica_view&) = default;
};

/// What was counted since the start, and the conversations pinned now.
struct fleet_totals {
  std::uint64_t sessions = 0;
  std::uint64_t routed = 0;
  std::uint64_t affinity_hits = 0;
  std::uint64_t rejected = 0;

  friend bool operator==(const fleet_totals&, const fleet_totals&) = default;
};

/// The whole table as GET /health shows it.
struct fleet_view {
  std::uint64_t sessions = 0;
  std::uint64_t routed = 0;
  std::uint64_t affinity_hits = 0;
  std::uint64_t rejected = 0;
  pin_ends ended;
  std::vector<replica_view> replicas;  ///< in the order they joined: static ones first

  friend bool operator==(const fleet_view&, const fleet_view&) = default;
};

}  // namespace fleet
