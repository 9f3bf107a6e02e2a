// SPDX-License-Identifier: MIT
// The admin API's reading routes, and what the router tells about itself. Contract section 6.
#pragma once

#include "admin.hpp"

#include <string>
#include <string_view>

namespace fleet::http {

/// GET or HEAD.
[[nodiscard]] bool is_read(const request_head& head);

/// GET /replicas/{name}. One that is being launched also tells how far it is, with the last line of
/// its log.
awaitable<own_reply> answer_replica(fleet_port& fleet, std::string name);

/// GET /slots.
awaitable<own_reply> answer_slots(fleet_port& fleet);

/// As much of a log is read at a time, the end of it where there is more.
inline constexpr std::uint64_t most_log_bytes = 1024 * 1024;

/// GET /slots/{slot}/log: the last `tail` lines, or what stands behind the offset `after`.
/// X-Log-End is the offset to go on from; with `follow=1` the reply says to go on.
awaitable<own_reply> answer_log(fleet_port& fleet, std::string slot, const request_head& head);

/// GET /version.
[[nodiscard]] own_reply answer_version(const http_settings& settings);

/// GET /openapi.json, which needs no token.
[[nodiscard]] own_reply answer_openapi(const request_head& head);

/// docs/openapi.json, compiled in.
extern const std::string_view openapi_document;

}  // namespace fleet::http
