// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/process.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// The time of the calendar, for what outlives the process.
using wall_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

/// What is recorded of one slot whose devices are held, or may be. Contract section 8.
struct slot_record {
  std::string slot;
  std::string host;  ///< the host's name in the fleet file
  std::string ssh;   ///< its ssh destination; empty: the router's own machine
  std::vector<std::uint32_t> devices;
  std::string address;
  std::uint16_t port = 0;
  process_ref process;      ///< the intent has the instance only, the rest follows the launch
  wall_time launched_at{};  ///< when this instance was first recorded
  /// Empty: a replica. Else the slot is a reservation, and this is why: a stable word, e.g.
  /// `stop-unconfirmed`.
  std::string reason;
  std::string detail;  ///< of a reservation: for the operator, may end with log lines; may be empty
  wall_time since{};   ///< of a reservation: when this reason was first recorded

  friend bool operator==(const slot_record&, const slot_record&) = default;
};

}  // namespace fleet
