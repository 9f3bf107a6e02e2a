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

/// GET /slots/{slot}/log: the last `tail` lines, or what stands behind the offset `after`; at most
/// 1 MiB. X-Log-End is the offset to go on from.
awaitable<own_reply> answer_log(fleet_port& fleet, std::string slot, std::string_view target);

/// GET /version and GET /openapi.json, which need no token.
[[nodiscard]] own_reply answer_about(const http_settings& settings, const request_head& head);

/// docs/openapi.json, compiled in.
extern const std::string_view openapi_document;

}  // namespace fleet::http
