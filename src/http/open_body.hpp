// SPDX-License-Identifier: MIT
#pragma once

#include "client_connection.hpp"
#include "response_head.hpp"

#include <chrono>
#include <string>

namespace fleet::http {

/// An answer of the router's own whose body has no end yet. Lives in the coroutine of its client's
/// connection, which serves nothing else afterwards.
class open_body {
 public:
  /// `patience`: how long the client may take to read one piece; then it is cut.
  open_body(client_connection& client, lane_services& lane, std::chrono::nanoseconds patience);
  open_body(const open_body&) = delete;
  open_body& operator=(const open_body&) = delete;
  ~open_body();

  /// Sends the head with this Content-Type and the first piece, which may be empty.
  awaitable<bool> begin(std::string type, std::string first);

  /// False when the client has gone or was cut.
  awaitable<bool> send(std::string piece);

  /// False when the client has gone.
  awaitable<bool> pause(std::chrono::nanoseconds time);

  /// The body is whole.
  awaitable<void> end();

  /// The body cannot go on, and that must show.
  void cut() { client_.reset(); }

 private:
  awaitable<bool> write(std::string bytes);

  client_connection& client_;
  lane_services& lane_;
  const std::chrono::nanoseconds patience_;
  const body_framing framing_;
  deadline limit_;
  steady_timer pause_;
  bool gone_ = false;
};

}  // namespace fleet::http
