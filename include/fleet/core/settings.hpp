// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fleet {

/// What the routing rules and the actors need of the command line. Contract section 1.
struct routing_settings {
  std::chrono::nanoseconds session_ttl = std::chrono::seconds(600);
  std::size_t max_sessions = 100'000;
  std::uint64_t affinity_slack = 8;  ///< 0: no pin is read or written
  std::chrono::nanoseconds health_interval = std::chrono::seconds(5);
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(5);  ///< also one probe's limit
  /// How long the very first requests wait at most for the first round of probes to end.
  std::chrono::nanoseconds first_probe_wait = std::chrono::milliseconds(500);
};

/// What launching, stopping and the pool need of the command line. Contract sections 1 and 7.
struct launch_settings {
  std::chrono::nanoseconds launch_timeout = std::chrono::seconds(600);  ///< launch to ready
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(300);
  /// Between the polite and the hard signal; and again for the address to go silent afterwards.
  std::chrono::nanoseconds stop_grace = std::chrono::seconds(30);
  /// How long a replica that was ready may be unroutable before it is replaced; at least two health
  /// intervals.
  std::chrono::nanoseconds replace_after = std::chrono::seconds(30);
  /// Readiness for this long clears the count of a slot's losses.
  std::chrono::nanoseconds stable_after = std::chrono::seconds(300);
  std::size_t initial_replicas = 0;  ///< launched at startup; see pool_limits
  std::size_t ceiling = 0;           ///< see pool_limits
};

}  // namespace fleet
