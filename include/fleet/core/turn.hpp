// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/replica.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fleet {

/// What a connection asks before it forwards one request.
struct route_query {
  std::string session;             ///< resolved session id; empty: a turn without a pin
  bool fresh = false;              ///< the id was minted for this turn, so no pin can exist
  bool counted = true;             ///< counts in `routed`; false for GET /v1/models
  std::vector<instance_id> tried;  ///< replicas this turn could not connect to

  friend bool operator==(const route_query&, const route_query&) = default;
};

/// Why a turn went where it went.
enum class affinity : std::uint8_t {
  none,        ///< the turn has no session, or affinity is off
  fresh,       ///< a session without a pin: least loaded
  hit,         ///< went to its pin
  moved_load,  ///< the pin lagged by more than the slack
  moved_gone,  ///< the pinned replica is not routable
  expired,     ///< a session whose pin has expired: least loaded
};

[[nodiscard]] std::string to_string(affinity a);

/// The right to send one turn to one replica. Its holder reports a `turn_end` exactly once.
struct ticket {
  instance_id replica;
  affinity how = affinity::none;

  friend bool operator==(const ticket&, const ticket&) = default;
};

/// Why there is no ticket.
enum class no_route : std::uint8_t {
  no_replica,     ///< no replica is routable at all: 503
  all_tried,      ///< every routable replica is in `tried`: 502
  shutting_down,  ///< the router takes no more turns: 503
};

[[nodiscard]] std::string to_string(no_route n);

/// The answer to a route_query: a ticket when `found`, else `why`.
struct route_answer {
  bool found = false;
  ticket where;
  no_route why = no_route::no_replica;

  friend bool operator==(const route_answer&, const route_answer&) = default;
};

/// How a turn ended, as the one who held its ticket saw it.
enum class turn_outcome : std::uint8_t {
  done,            ///< the whole answer reached the client
  client_gone,     ///< the client left first
  connect_failed,  ///< no connection, no byte sent: the replica leaves rotation at once
  replica_failed,  ///< the replica broke off, before or inside its answer
  timed_out,       ///< --request-timeout
  aborted,         ///< refused or ended by the router itself, the replica is not to blame
};

[[nodiscard]] std::string to_string(turn_outcome o);

/// The ticket given back.
struct turn_end {
  instance_id replica;
  std::string session;  ///< as in the route_query
  turn_outcome how = turn_outcome::aborted;
  std::string reason;                ///< for connect_failed: what went wrong, for the operator
  affinity chosen = affinity::none;  ///< as in the ticket
  bool counted = true;               ///< as in the route_query
  /// From the sending of the request to the head of the replica's answer; none when there was no
  /// answer.
  std::optional<std::chrono::nanoseconds> first_byte;

  friend bool operator==(const turn_end&, const turn_end&) = default;
};

}  // namespace fleet
