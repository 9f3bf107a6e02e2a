// SPDX-License-Identifier: MIT
// W3C Trace Context, level 1: the fields `traceparent` and `tracestate`, which pass through
// untouched.
#pragma once

#include "lane.hpp"
#include "request_head.hpp"

#include <string>
#include <string_view>

namespace fleet::http {

/// The trace id of these field lines: that of their one traceparent, when it is a valid one; else
/// empty.
[[nodiscard]] std::string_view trace_id(std::string_view fields);

/// A request without a traceparent gets one of its own, sampled; a tracestate that came without one
/// belongs to no trace and goes.
void begin_trace(request_head& head, id_source& ids);

}  // namespace fleet::http
