// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/host.hpp"

#include <cstdint>
#include <string>

namespace fleet {

/// A look into the log of a slot: its last `bytes` from `begin` on. Offsets count from the log's
/// first byte; a `begin` behind its end means that it was cut meanwhile, and counts as 0.
struct log_query {
  std::string slot;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool this_launch = false;  ///< nothing that was written before the slot's latest launch
};

/// The same for the machine that has the log.
struct log_order {
  host_spec host;
  slot_spec slot;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

enum class log_outcome : std::uint8_t {
  read,           ///< 200
  unknown,        ///< 404: there is no such slot
  failed,         ///< 502: `message` says why
  shutting_down,  ///< 503: the router is on its way out
};

/// What was read.
struct log_answer {
  log_outcome outcome = log_outcome::shutting_down;
  std::string text;       ///< control characters made harmless, each byte for a byte
  std::uint64_t end = 0;  ///< offset behind it
  std::string message;

  friend bool operator==(const log_answer&, const log_answer&) = default;
};

}  // namespace fleet
