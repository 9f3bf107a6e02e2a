// SPDX-License-Identifier: MIT
#pragma once

#include "event_source.hpp"
#include "fleet_port.hpp"
#include "request_head.hpp"

#include "fleet/http/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleet::http {

/// Where a client of GET /events begins.
struct event_wish {
  std::uint64_t after = 0;  ///< number of the last event it has
  bool unknown = false;     ///< it named a place that is not known here
  bool samples = false;     ///< counts as well
};

/// An answer of the router's own, ready to be framed.
struct own_reply {
  int status = 200;
  std::string json;
  std::string location;       ///< Location field; empty: none
  std::string allow;          ///< Allow field; empty: none
  bool authenticate = false;  ///< WWW-Authenticate: Bearer
  std::string text;           ///< in place of `json`, of this type
  std::string_view text_type = "text/plain; charset=utf-8";
  std::optional<std::uint64_t> log_end;  ///< X-Log-End field
  std::string follow;  ///< slot whose log goes on behind `text` and `log_end`; empty: none
  std::optional<event_wish> events;  ///< the answer is what happens from there on
};

/// A refusal with its error object.
[[nodiscard]] own_reply refused(int status, std::string_view code, std::string message);

/// 405; `allow`: the methods of this path.
[[nodiscard]] own_reply wrong_method(std::string allow);

/// 401, for want of the admin token.
[[nodiscard]] own_reply unauthorized();

/// Whether this request may act as admin: no token is configured, or its one Authorization field is
/// `Bearer` (in any case) and exactly the token, compared in constant time. Contract section 6.
[[nodiscard]] bool authorised(const request_head& head, const http_settings& settings);

/// Serves /replicas, /slots, /sessions, /events, /snapshot and /version. Contract section 6. Checks
/// the token first, whatever the path.
awaitable<own_reply> answer_admin(fleet_port& fleet, const http_settings& settings,
                                  const event_source& events, const request_head& head,
                                  std::string_view body);

}  // namespace fleet::http
