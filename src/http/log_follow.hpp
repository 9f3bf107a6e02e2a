// SPDX-License-Identifier: MIT
#pragma once

#include "client_connection.hpp"
#include "response_head.hpp"

#include <string>

namespace fleet::http {

/// The answer to GET /slots/{slot}/log?follow=1: the end of the log, and then what it grows by, as
/// one body. It ends whole when the router stops, and is cut when the log cannot be read any more.
/// Lives in the coroutine of its client's connection, which serves nothing else afterwards.
class log_follow {
 public:
  log_follow(client_connection& client, lane_services& lane);
  log_follow(const log_follow&) = delete;
  log_follow& operator=(const log_follow&) = delete;
  ~log_follow();

  /// Until the client leaves or the body ends. `first`: what a single read answers.
  awaitable<void> run(const own_reply& first);

 private:
  awaitable<bool> send(std::string bytes);

  client_connection& client_;
  lane_services& lane_;
  body_framing framing_;
  deadline limit_;
  steady_timer pause_;
  bool gone_ = false;
};

}  // namespace fleet::http
