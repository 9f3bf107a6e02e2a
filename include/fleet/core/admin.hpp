// SPDX-License-Identifier: MIT
// What the admin API asks and is told. Contract section 6.
#pragma once

#include "fleet/core/host.hpp"
#include "fleet/core/slot_life.hpp"
#include "fleet/core/view.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// A slot whose devices may be held by something nobody could confirm to be gone.
struct unconfirmed_slot {
  std::string slot;
  std::string reason;  ///< a stable word, e.g. `stop-unconfirmed`
  std::string detail;  ///< for the operator, may end with lines of its log; may be empty
  std::chrono::nanoseconds since{0};  ///< how long ago

  friend bool operator==(const unconfirmed_slot&, const unconfirmed_slot&) = default;
};

/// A slot the router does not use again by itself.
struct abandoned_slot {
  std::string slot;
  std::uint64_t losses = 0;  ///< in a row
  std::string detail;        ///< the last loss, may end with lines of its log; may be empty
  std::chrono::nanoseconds since{0};  ///< how long ago

  friend bool operator==(const abandoned_slot&, const abandoned_slot&) = default;
};

/// A slot whose replica is being replaced.
struct replacing_slot {
  std::string slot;
  std::uint64_t attempt = 0;             ///< in a row, from 1
  std::string detail;                    ///< the last loss, as in abandoned_slot
  std::chrono::nanoseconds retry_in{0};  ///< until its launch; 0: under way

  friend bool operator==(const replacing_slot&, const replacing_slot&) = default;
};

/// A free slot whose last launch came to nothing.
struct failed_launch {
  std::string slot;
  std::string reason;                 ///< for the operator; may have several lines of its log
  std::chrono::nanoseconds since{0};  ///< how long ago the slot was free again

  friend bool operator==(const failed_launch&, const failed_launch&) = default;
};

/// What the pool holds and what is left of it.
struct capacity_view {
  std::uint64_t owned = 0;    ///< replicas launched, from reservation to end, or awaiting the next
  std::uint64_t ceiling = 0;  ///< owned ones and unconfirmed slots together, at most
  std::vector<std::string> free_slots;  ///< what a grow would use now, first one first;
                                        ///< abandoned ones are the last
  std::vector<unconfirmed_slot> unconfirmed;
  std::vector<abandoned_slot> abandoned;
  std::vector<replacing_slot> replacing;
  std::vector<failed_launch> failed_launches;  ///< each until the next launch on its slot

  friend bool operator==(const capacity_view&, const capacity_view&) = default;
};

/// A declared slot as GET /slots shows it.
struct slot_view {
  slot_spec slot;
  std::string host;  ///< the host's name in the fleet file
  std::string log;   ///< path of its log, on that machine
  slot_stage now = slot_stage::free;
  std::string reason;                 ///< of an unconfirmed one: a stable word
  std::string detail;                 ///< what is behind that, or went wrong last; may be empty
  std::chrono::nanoseconds since{0};  ///< time spent in this stage so far
  /// While it drains: what is left until it is stopped whatever still runs.
  std::chrono::nanoseconds drain_left{0};

  friend bool operator==(const slot_view&, const slot_view&) = default;
};

/// The answer to GET /replicas and GET /slots.
struct pool_view {
  std::vector<replica_view> replicas;
  capacity_view capacity;
  std::vector<slot_view> slots;  ///< in the order they are filled
  fleet_totals totals;

  friend bool operator==(const pool_view&, const pool_view&) = default;
};

enum class grow_outcome : std::uint8_t {
  accepted,       ///< 202: the launch command was accepted, the replica is starting
  pool_full,      ///< 409: no slot is free
  at_ceiling,     ///< 409: as many as --max-replicas allows
  slot_not_free,  ///< 409: the slot asked for is taken
  unknown_slot,   ///< 404: there is no such slot
  launch_failed,  ///< 502: nothing serves there; `message` says why
  shutting_down,  ///< 503: the router is on its way out
};

[[nodiscard]] std::string to_string(grow_outcome o);

/// The answer to POST /replicas.
struct grow_answer {
  grow_outcome outcome = grow_outcome::shutting_down;
  std::string message;   ///< for the operator; empty when accepted
  replica_view replica;  ///< the new one; only when accepted
  capacity_view capacity;

  friend bool operator==(const grow_answer&, const grow_answer&) = default;
};

enum class shrink_outcome : std::uint8_t {
  stopped,        ///< 200: drained, stopped, confirmed
  unknown,        ///< 404: no replica of this name
  not_owned,      ///< 409: not launched by this router
  unconfirmed,    ///< 500: out of rotation, but its devices may still be held
  shutting_down,  ///< 503: the router ended before the stop did
};

[[nodiscard]] std::string to_string(shrink_outcome o);

/// The answer to DELETE /replicas/{name}.
struct shrink_answer {
  shrink_outcome outcome = shrink_outcome::shutting_down;
  std::string slot;
  std::string reason;   ///< `stop-unconfirmed` when unconfirmed, else empty
  std::string message;  ///< for the operator; empty when stopped
  capacity_view capacity;

  friend bool operator==(const shrink_answer&, const shrink_answer&) = default;
};

enum class release_outcome : std::uint8_t {
  released,         ///< 200: the slot is free
  unknown,          ///< 404: there is no such slot
  not_unconfirmed,  ///< 409: the slot is not one that needs this
  shutting_down,    ///< 503: the router is on its way out
};

[[nodiscard]] std::string to_string(release_outcome o);

/// The answer to POST /slots/{slot}/release.
struct release_answer {
  release_outcome outcome = release_outcome::shutting_down;
  capacity_view capacity;

  friend bool operator==(const release_answer&, const release_answer&) = default;
};

}  // namespace fleet
