// SPDX-License-Identifier: MIT
// What is remembered of a conversation, so that an operator can be told why its turns go where they
// go.
#pragma once

#include "fleet/core/replica.hpp"
#include "fleet/core/turn.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace fleet {

/// What goes with a pin when it is set: how the turn was routed and, of a moved one, the number of
/// the name of the replica it moved away from. Whoever sets pins numbers the names; 0: not known.
struct pin_note {
  affinity how = affinity::fresh;
  std::uint32_t from = 0;

  friend bool operator==(const pin_note&, const pin_note&) = default;
};

/// What the pin of a session is now.
struct pin_state {
  instance_id where;     ///< value 0: there is no pin
  bool expired = false;  ///< there was one, and not long ago

  friend bool operator==(const pin_state&, const pin_state&) = default;
};

/// Pins that ended otherwise than by a move, since the start.
struct pin_ends {
  std::uint64_t expired = 0;   ///< --session-ttl was over
  std::uint64_t evicted = 0;   ///< a newer session took its place: --max-sessions
  std::uint64_t released = 0;  ///< its replica was drained or removed

  friend bool operator==(const pin_ends&, const pin_ends&) = default;
};

/// A live pin and what led to it. Ages are whole seconds, each off by less than one.
struct pin_view {
  instance_id where;            ///< value 0: there is no pin
  std::chrono::seconds age{0};  ///< since the session's first turn
  std::uint32_t turns = 0;      ///< those in flight, and those that reached a replica
  std::uint32_t in_flight = 0;
  affinity last = affinity::none;     ///< how its last turn was routed
  affinity moved = affinity::none;    ///< why it moved last; none: never
  std::uint32_t from = 0;             ///< as in the pin_note of that turn
  std::chrono::seconds moved_age{0};  ///< since then

  friend bool operator==(const pin_view&, const pin_view&) = default;
};

/// The same with names, as GET /sessions/{id} shows it.
struct session_view {
  std::string replica;  ///< where it is pinned; empty: there is no pin
  pin_view pin;
  std::string from;  ///< the replica of pin.from; may have left since, empty when not known

  friend bool operator==(const session_view&, const session_view&) = default;
};

}  // namespace fleet
