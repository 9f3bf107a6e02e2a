// SPDX-License-Identifier: MIT
#pragma once

#include "client_connection.hpp"

namespace fleet::http {

/// The answer to GET /slots/{slot}/log?follow=1: the end of the log, and then what it grows by, as
/// one body. It ends whole when the router stops, and is cut when the log cannot be read any more.
/// Until the client leaves or the body ends. `first`: what a single read answers.
awaitable<void> follow_log(client_connection& client, lane_services& lane, own_reply first);

}  // namespace fleet::http
