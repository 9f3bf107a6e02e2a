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

}  // namespace fleet
