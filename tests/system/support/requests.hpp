// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/scripted_replica.hpp"

#include <string>
#include <string_view>

namespace fleet::rig {

// -- bytes a client sends -----------------------------------------------------------------------

// POST /v1/chat/completions with `body` by length. `fields` are whole lines, each with CR LF.
std::string chat(std::string_view body = "{}", std::string_view fields = "");
// The same on any path and method.
std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view fields = "");
// The same chat with its body in chunks of `piece` bytes.
std::string chunked_chat(std::string_view body, std::size_t piece, std::string_view fields = "");
// The field lines of a session.
std::string session(std::string_view id);

// -- bytes a replica sends ----------------------------------------------------------------------

// A JSON response with its length. `status` like "200 OK"; `fields` are whole lines.
std::string response(std::string_view status, std::string_view body, std::string_view fields = "");
// One chunk, the last chunk, the head of an event stream, and event i of one as a chunk.
std::string chunk(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";
inline constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";
std::string event_text(int i);
std::string event(int i);
inline const std::string done_text = "data: [DONE]\n\n";

// -- scripts ------------------------------------------------------------------------------------

// Reads the request and answers 200 {"ok":true}.
void answer_ok(replica_turn& turn);
// Reads the request and sends these bytes.
scripted_replica::script answer_with(std::string bytes);
// Reads the request and streams events 0..count-1, `gap` apart, then [DONE].
scripted_replica::script stream_of(int count, milliseconds gap);
// Reads the request and stays silent until the router gives up.
void stay_mute(replica_turn& turn);

}  // namespace fleet::rig
