// SPDX-License-Identifier: MIT
// Every path a turn can take, and that each gives its ticket back exactly once.
#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;
using end = scripted_upstream::end;

namespace {

const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhol";
const std::string begun = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n";

/// All tickets are back, and the last one came back with this outcome.
void ended_as(lane_fixture& lane, turn_outcome how) {
  CHECK(lane.run_until([&] { return lane.port->ended.size() == lane.port->given; }));
  REQUIRE(!lane.port->ended.empty());
  CHECK(to_string(lane.port->ended.back().how) == to_string(how));
}

std::uint16_t silent_port(asio::io_context& io) {
  tcp_acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  return acceptor.local_endpoint().port();
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture,
                  "a whole answer ends the turn as done and its connection is reused") {
  auto& replica = upstream_that(whole, end::keep);
  port->answers.push_back(port->answers.front());
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  ended_as(*this, turn_outcome::done);
  received.clear();
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(port->ended.size() == 2);
  CHECK(replica.connections == 1);
}

TEST_CASE_FIXTURE(lane_fixture, "no replica is a 503, with the session and Retry-After") {
  chat("X-Session-Id: s\r\n");
  CHECK(gets("503"));
  CHECK(gets("no_replica"));
  CHECK(received.find("X-Session-Id: s\r\n") != std::string::npos);
  CHECK(received.find("Retry-After: 1\r\n") != std::string::npos);
}

TEST_CASE_FIXTURE(lane_fixture,
                  "a replica that cannot be connected to sends the turn to the next") {
  port->send_to(silent_port(lane.io));
  upstream_that(whole, end::keep);
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  REQUIRE(port->ended.size() >= 1);
  CHECK(to_string(port->ended.front().how) == "connect_failed");
  CHECK(!port->ended.front().reason.empty());
  REQUIRE(port->asked.size() == 2);
  CHECK(port->asked[1].tried == std::vector{instance_id{1}});
  ended_as(*this, turn_outcome::done);
}

TEST_CASE_FIXTURE(lane_fixture,
                  "a shutdown waits for a turn that is on its way to another replica") {
  port->send_to(silent_port(lane.io));
  upstream_that(whole, end::keep);
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  // The first ticket was still out when the second was asked for.
  CHECK(port->ended_when_asked == std::vector<std::size_t>{0, 0});
  ended_as(*this, turn_outcome::done);
}

TEST_CASE_FIXTURE(lane_fixture, "when none is left to connect to, the turn is a 502") {
  port->send_to(silent_port(lane.io));
  chat();
  CHECK(gets("502"));
  CHECK(gets("connect_failed"));
  ended_as(*this, turn_outcome::connect_failed);
}

TEST_CASE_FIXTURE(lane_fixture, "a replica that ends before it answers is a 502 and not retried") {
  for (const auto how : {end::fin, end::reset}) {
    received.clear();
    auto& replica = upstream_that("", how);
    chat();
    CHECK(gets("replica_failed"));
    CHECK(replica.connections == 1);
    ended_as(*this, turn_outcome::replica_failed);
  }
}

TEST_CASE_FIXTURE(lane_fixture, "a replica that answers no HTTP is a 502 that says so") {
  upstream_that("SSH-2.0-OpenSSH\r\n\r\n", end::keep);
  chat();
  CHECK(gets("bad_replica_response"));
  ended_as(*this, turn_outcome::replica_failed);
}

TEST_CASE_FIXTURE(lane_fixture, "a cut answer is passed on as a cut answer") {
  for (const auto how : {end::fin, end::reset}) {
    lane_fixture other;
    other.upstream_that(begun, how);
    other.chat();
    CHECK(other.run_until([&] { return !!other.client_end; }));
    CHECK(other.received.find("3\r\none\r\n") != std::string::npos);
    CHECK(other.received.find("0\r\n\r\n") == std::string::npos);
    ended_as(other, turn_outcome::replica_failed);
  }
}

TEST_CASE_FIXTURE(lane_fixture,
                  "a client that leaves frees the replica at once, silent or streaming") {
  for (const auto* answer : {"", begun.c_str()}) {
    lane_fixture other;
    auto& replica = other.upstream_that(answer, end::keep);
    other.chat();
    CHECK(other.run_until([&] { return !replica.seen.empty(); }));
    other.client.close();
    CHECK(other.run_until([&] { return replica.left; }));
    ended_as(other, turn_outcome::client_gone);
  }
}

TEST_CASE_FIXTURE(lane_fixture,
                  "a turn over its time is a 504 before an answer, a cut within one") {
  settings.request_timeout = std::chrono::milliseconds(100);
  auto& silent = upstream_that("", end::keep);
  chat();
  CHECK(gets("504"));
  CHECK(run_until([&] { return silent.left; }));
  ended_as(*this, turn_outcome::timed_out);
  received.clear();
  upstream_that(begun, end::keep);
  chat();
  CHECK(run_until([&] { return !!client_end; }));
  CHECK(received.find("0\r\n\r\n") == std::string::npos);
  ended_as(*this, turn_outcome::timed_out);
}

TEST_CASE_FIXTURE(lane_fixture, "a pooled connection that has ended is not used again") {
  auto& replica = upstream_that(whole, end::keep);
  const auto again = port->answers.front();
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  const auto pooled = services->pool.find(again.where.replica);
  REQUIRE(pooled);
  REQUIRE(pooled->idle.size() == 1);
  pooled->idle.front()->on_change(nullptr);
  pooled->idle.front()->close();
  received.clear();
  port->answers.push_back(again);
  chat();
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(replica.connections == 2);
  ended_as(*this, turn_outcome::done);
}

TEST_CASE_FIXTURE(lane_fixture, "a pipelined request is answered after the one before it") {
  upstream_that(whole, end::keep);
  port->answers.push_back(port->answers.front());
  const std::string one = "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 2\r\n\r\n{}";
  send(one + one);
  CHECK(run_until([&] {
    return received.find("whol") != std::string::npos &&
           received.find("whol") != received.rfind("whol");
  }));
  CHECK(port->ended.size() == 2);
}
