// SPDX-License-Identifier: MIT
// GET /events, GET /snapshot and GET /sessions/{id}: what happens to the fleet, as it happens.
#pragma once

#include "admin.hpp"
#include "client_connection.hpp"
#include "event_source.hpp"

#include <chrono>
#include <string>

namespace fleet::http {

/// How often counts are sent to those who ask for samples.
inline constexpr std::chrono::seconds sample_pause{1};
/// How often a comment shows that the connection is alive.
inline constexpr std::chrono::seconds ping_pause{15};
/// Events that GET /snapshot has.
inline constexpr std::size_t snapshot_events = 50;

/// What GET /events asks for. A place is the id of the last event that the reader has; the field
/// Last-Event-ID counts before `after` of the query, `0` stands for all that are kept, and with
/// neither only what is yet to come is told.
own_reply answer_events(const event_source& events, const request_head& head);

/// GET /snapshot: the whole fleet with its last events. Whatever happens behind `last_event` is
/// told by GET /events from there on.
awaitable<own_reply> answer_snapshot(fleet_port& fleet, const http_settings& settings,
                                     const event_source& events);

/// GET /sessions/{id}: where this conversation is pinned, and why.
awaitable<own_reply> answer_session(fleet_port& fleet, std::string id);

/// Tells the client what happens until it leaves, reads too slowly, or the router stops.
awaitable<void> follow_events(client_connection& client, lane_services& lane, event_wish from);

}  // namespace fleet::http
