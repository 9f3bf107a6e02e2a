// SPDX-License-Identifier: MIT
#pragma once

#include "message_parser.hpp"
#include "refusal.hpp"

#include "fleet/core/turn.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fleet::http {

/// How the end of a body shows on the way to the client. RFC 9112 6.3.
enum class body_framing : std::uint8_t {
  none,     ///< no body: HEAD, 204, 304
  length,   ///< Content-Length
  chunked,  ///< chunked coding, our own chunks
  close,    ///< the end of the connection: HTTP/1.0 clients
};

/// What the client's side of a relayed answer depends on.
struct client_side {
  bool http10 = false;
  bool keep_alive = false;      ///< the client asked for it and the router agrees
  std::string_view session;     ///< X-Session-Id to add; empty: the replica's passes unchanged
  std::string_view replica;     ///< X-Replica
  std::string_view affinity;    ///< X-Affinity, see affinity_field(); empty: none
  std::string_view request_id;  ///< added unless the replica sent its own
};

/// The framing for the client of this complete replica head.
[[nodiscard]] body_framing framing_for(const response_parser& parsed, bool head_request,
                                       bool http10);

/// The value of X-Affinity: why the turn went to its replica. `minted`: its session id is new;
/// `pins`: the turn may have a pin at all.
[[nodiscard]] std::string_view affinity_field(affinity how, bool minted, bool pins);

/// The head for the client, replacing what `out` held: the replica's status and end-to-end fields
/// in their order, then the router's. With framing `close` the client is told so whatever
/// `keep_alive` says.
void write_client_head(const response_parser& parsed, body_framing framing,
                       const client_side& client, std::string& out);

/// A field the router adds to an answer of its own.
struct extra_field {
  std::string_view name;
  std::string_view value;
};

/// A whole answer of the router's own; `head_request`: without the body.
[[nodiscard]] std::string own_answer(int status, std::string_view body, bool keep_alive,
                                     bool head_request,
                                     std::initializer_list<extra_field> extra = {},
                                     std::string_view type = "application/json");

/// The head of an answer of the router's own whose text has no end yet. Its connection serves
/// nothing else. `framing`: chunked or close.
[[nodiscard]] std::string open_answer(body_framing framing, std::string_view type,
                                      std::string_view request_id);

/// What stands before a chunk of that size, in place of what `out` held. RFC 9112 7.1.
void write_chunk_head(std::size_t size, std::string& out);

/// One chunk of a chunked body, or the bytes alone with framing `close`; empty for an empty text,
/// which as a chunk would end the body.
[[nodiscard]] std::string framed(body_framing framing, std::string_view text);

inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// The error object of contract section 4. The message may quote what a client sent.
[[nodiscard]] boost::json::object error_object(std::string_view code, std::string_view message);

/// The same for a refusal, serialized.
[[nodiscard]] std::string error_json(const refusal& why);

/// The standard reason phrase of the statuses this router answers with.
[[nodiscard]] std::string_view reason_of(int status);

}  // namespace fleet::http
