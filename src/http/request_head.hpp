// SPDX-License-Identifier: MIT
#pragma once

#include "message_parser.hpp"
#include "refusal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleet::http {

/// What a request is to the router. Paths are compared byte for byte, undecoded, so that no second
/// spelling of a path exists.
enum class route_kind : std::uint8_t {
  health,   ///< /health
  models,   ///< GET /v1/models: any replica, not counted
  proxied,  ///< anything else under /v1/
  options,  ///< OPTIONS *
  openapi,  ///< /openapi.json
  metrics,  ///< /metrics: with the token, or open
  page,     ///< /dashboard and what is below it
  admin,    ///< /replicas, /slots, /sessions, /events, /snapshot, /version and what is below them:
            ///< with the token only
  unknown,
};

/// What the router needs of a request's head, and the fields that go on to the replica.
struct request_head {
  std::string method;
  std::string
      target;  ///< path and query, byte for byte; of an absolute-form target that part of it
  route_kind kind = route_kind::unknown;
  bool http10 = false;
  bool keep_alive = false;
  bool expects_continue = false;
  bool has_body_framing = false;  ///< a length or chunked coding was there
  std::string host;
  std::string session;  ///< the first X-Session-Id that is not blank
  std::string request_id;
  std::string authorization;  ///< of an admin request; empty unless there is exactly one
  std::string if_none_match;  ///< of a request for the page: its lines joined
  std::string forwarded_for;  ///< X-Forwarded-For lines joined
  bool has_forwarded_proto = false;
  bool has_forwarded_host = false;
  std::string fields;  ///< end-to-end field lines, in order, each with its CRLF

  /// A GET reads: no session is minted or pinned for it.
  [[nodiscard]] bool plain_get() const { return method == "GET"; }
  /// Its answer carries X-Session-Id. Contract section 3.
  [[nodiscard]] bool carries_session() const;
  /// It opens or goes on with a conversation that is worth a pin.
  [[nodiscard]] bool pins() const;
};

/// The path of a target without its query.
[[nodiscard]] std::string_view path_of(std::string_view target);

/// Reads a complete head. An Authorization or Proxy-Authorization field that has the admin token in
/// it is no field for a replica; an empty token: none is configured. The refusal is a 400 (RFC
/// 9112 3.2: one Host, exactly, in HTTP/1.1). `into` is filled as far as possible even then, so
/// that the refusal's answer can carry a session.
[[nodiscard]] std::optional<refusal> read_head(const request_parser& parsed,
                                               std::string_view admin_token, request_head& into);

/// What the parser's error means to the client: 400, 431, or 505. `data`: the bytes so far.
[[nodiscard]] refusal refusal_of(error_code ec, std::string_view data);

/// What each forwarded request tells the replica about its way. Contract section 4.
struct forwarding {
  std::string_view authority;       ///< the replica's, for Host
  std::string_view client_address;  ///< appended to X-Forwarded-For
  std::string_view session;         ///< empty: none
  std::string_view request_id;
  std::uint64_t body_size = 0;
};

/// The head to send to the replica, replacing what `out` held.
void write_upstream_head(const request_head& head, const forwarding& way, std::string& out);

}  // namespace fleet::http
