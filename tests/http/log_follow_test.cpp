// SPDX-License-Identifier: MIT
// GET /slots/{slot}/log?follow=1: a log as it grows.
#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;

namespace {

struct followed_log : lane_fixture {
  void follow(std::string_view version = "1.1") {
    port->logged = {.outcome = log_outcome::read, .text = "one\ntwo\n", .end = 108};
    send("GET /slots/n-d0/log?tail=1&follow=1 HTTP/" + std::string(version) +
         "\r\nHost: r\r\n\r\n");
    REQUIRE(gets("\r\n\r\n"));
  }
  bool ends() {
    return run_until([this] { return bool(client_end); });
  }
};

}  // namespace

TEST_CASE_FIXTURE(followed_log,
                  "a followed log begins with its last lines and goes on as it grows") {
  follow();
  CHECK(gets("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\ntwo\n\r\n"));
  port->logged = {.outcome = log_outcome::read, .text = "three\n", .end = 114};
  CHECK(gets("6\r\nthree\n\r\n"));
  port->logged = {.outcome = log_outcome::read, .end = 114};
  const auto begin = port->admin_calls.size();
  CHECK(run_until([&] { return port->admin_calls.size() > begin; }));
  CHECK(port->admin_calls.at(1) == "log n-d0 108 1048576");
  CHECK(port->admin_calls.back() == "log n-d0 114 1048576");
  CHECK(received.ends_with("6\r\nthree\n\r\n"));
}

TEST_CASE_FIXTURE(followed_log, "it ends whole when the router stops") {
  follow();
  services->stopping = true;
  CHECK(ends());
  CHECK(client_end == asio::error::eof);
  CHECK(received.ends_with("two\n\r\n0\r\n\r\n"));
}

TEST_CASE_FIXTURE(followed_log, "it is cut when the log cannot be read any more") {
  follow();
  port->logged = {.outcome = log_outcome::failed, .message = "ssh: no route"};
  CHECK(ends());
  CHECK(received.ends_with("two\n\r\n"));
}

TEST_CASE_FIXTURE(followed_log, "an HTTP/1.0 client gets the bytes alone, and a reset for a cut") {
  follow("1.0");
  CHECK(received.ends_with("Connection: close\r\n\r\ntwo\n"));
  port->logged = {.outcome = log_outcome::failed};
  CHECK(ends());
  CHECK(client_end == asio::error::connection_reset);
}

TEST_CASE_FIXTURE(followed_log, "a client that leaves is not followed for any longer") {
  follow();
  client.close();
  CHECK(run_until([this] { return services->client_count == 0; }));
}

TEST_CASE_FIXTURE(followed_log,
                  "a log that cannot be read at first, a HEAD and other words answer at once") {
  send("GET /slots/x/log?follow=1 HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("HTTP/1.1 503"));
  send("GET /slots/x/log?follow=yes HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("HTTP/1.1 400"));
  port->logged = {.outcome = log_outcome::read, .text = "one\n", .end = 4};
  send("HEAD /slots/x/log?follow=1 HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("X-Log-End: 4\r\n"));
}
