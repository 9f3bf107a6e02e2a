// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace fleet {

/// Takes $NOTIFY_SOCKET out of this process's environment, so that no command and no replica
/// inherits it, and gives its value; empty when it is not set. Before any thread exists.
[[nodiscard]] std::string take_notify_socket();

/// What started the router and waits to hear how it is: systemd with Type=notify, see sd_notify(3).
/// Without one nothing is said. Called from the main thread; a call takes a second at most, and
/// what cannot be said is a warning in the log, once, never an error.
class service_manager {
 public:
  /// `address`: of a datagram socket, a path or `@name` in the abstract namespace.
  explicit service_manager(std::string address, logger& log)
      : address_(std::move(address)), log_(&log) {}

  /// It serves at `url`.
  void ready(std::string_view url) { tell("READY=1\nSTATUS=Serving at " + std::string(url)); }

  /// It is on its way out, and may be for `longest`: a stop timeout shorter than that is extended.
  void stopping(std::chrono::nanoseconds longest);

 private:
  void tell(const std::string& state);

  std::string address_;
  logger* log_;
};

}  // namespace fleet
