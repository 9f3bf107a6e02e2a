// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace fleet::http {

/// What the HTTP side needs of the command line, and limits that have no flag. Contract
/// sections 1 and 4.
struct http_settings {
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(3600);
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(5);
  std::size_t max_body = 64 * 1024 * 1024;
  std::size_t max_bodies = std::size_t{4} << 30;  ///< of all clients together
  std::string admin_token;                        ///< empty: the admin API is open
  std::string version;                            ///< what GET /version says
  bool metrics_open = false;                      ///< GET /metrics needs no token
  bool trace = false;                             ///< turns without a traceparent get one
  std::size_t max_clients = 0;        ///< connections at once; 0: as many as descriptors allow
  std::size_t fleet_descriptors = 0;  ///< what probes, launches and stops may use at once
  /// From a request's first byte to the end of its head; from a connection's start to a first byte.
  std::chrono::nanoseconds header_timeout = std::chrono::seconds(30);
  /// A client that stands still: no piece of its body comes, or it takes nothing of an answer.
  std::chrono::nanoseconds client_timeout = std::chrono::seconds(60);
  /// Between two requests of a connection.
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(75);
  /// How long an idle connection to a replica is kept; uvicorn closes at 5 s.
  std::chrono::nanoseconds pool_timeout = std::chrono::seconds(4);
  /// How long a client of GET /events may take to read one piece.
  std::chrono::nanoseconds event_timeout = std::chrono::seconds(10);
  /// How long a client that still uploads may read an error before the connection goes.
  std::chrono::nanoseconds linger_timeout = std::chrono::seconds(5);
};

}  // namespace fleet::http
