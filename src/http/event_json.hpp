// SPDX-License-Identifier: MIT
// Events, samples and sessions as an operator's program reads them.
#pragma once

#include "fleet/core/session_view.hpp"
#include "fleet/core/view.hpp"
#include "fleet/http/event_ring.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace fleet::http {

/// `<boot>-<number>`: what names one event of one process.
[[nodiscard]] std::string event_id(const event_ring& ring, std::uint64_t number);

/// The event with its time, its name and the fields of its log line, all of them texts.
[[nodiscard]] boost::json::object event_object(const event& happened);

/// The same as one message of a text/event-stream, with its id.
[[nodiscard]] std::string event_message(const event_ring& ring, const event& happened);

/// What a reader is told whose place in the events is not known any more.
inline constexpr std::string_view reset_message = "event: reset\ndata: {}\n\n";

/// What the counts are now, as a message without id. Totals since the start, or since its replica
/// joined: the reader takes differences.
[[nodiscard]] std::string sample_message(const fleet_view& fleet, wall_time now);

/// The body of GET /sessions/{id}, of one with a pin.
[[nodiscard]] std::string session_json(std::string_view id, const session_view& session);

}  // namespace fleet::http
