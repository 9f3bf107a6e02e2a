// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

// The values of the fields whose names begin with X-T-, as name=value in their order.
std::vector<std::string> marked(const message& from) {
  std::vector<std::string> out;
  for (const auto& line : from.headers)
    if (line.name.starts_with("X-T-"))
      out.push_back(line.name + "=" + line.value);
  return out;
}

message forwarded(std::string_view fields) {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  REQUIRE(exchange_once(r.port(), chat("{}", fields)).status() == 200);
  return u.last_request();
}

constexpr std::string_view hop_by_hop =
    "Connection: X-T-Named, keep-alive\r\n"
    "X-T-Named: secret\r\n"
    "Keep-Alive: timeout=5\r\n"
    "Proxy-Connection: keep-alive\r\n"
    "TE: trailers\r\n"
    "Upgrade: websocket\r\n";

void check_no_hop_by_hop(const message& seen) {
  CHECK(!seen.has("X-T-Named"));
  CHECK(!seen.has("Keep-Alive"));
  CHECK(!seen.has("Proxy-Connection"));
  CHECK(!seen.has("TE"));
  CHECK(!seen.has("Upgrade"));
  CHECK(seen.get("Connection").find("Named") == std::string::npos);
}

}  // namespace

TEST_CASE("hop-by-hop fields and those that Connection names are not sent to the replica") {
  check_no_hop_by_hop(forwarded(hop_by_hop));
}

TEST_CASE("hop-by-hop fields and those that Connection names are not sent to the client") {
  scripted_replica u{"u", answer_with(response("200 OK", "{}", hop_by_hop))};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 200);
  check_no_hop_by_hop(answer);
}

TEST_CASE("Connection cannot take away the router's own fields") {
  const auto seen =
      forwarded("Connection: Host, Content-Length, X-Session-Id, X-Forwarded-For\r\n");
  CHECK(seen.count("Host") == 1);
  CHECK(seen.get("Content-Length") == "2");
  CHECK(seen.count("X-Session-Id") == 1);
  CHECK(seen.count("X-Forwarded-For") == 1);
}

TEST_CASE("all other request fields pass with repeated ones and their order and case kept") {
  const auto seen = forwarded(
      "X-T-a: 1\r\nX-T-B: two  words\r\nX-T-a: 3\r\nX-T-Empty:\r\nX-T-Utf: \xc3\xa4\r\n"
      "Authorization: Bearer sk-1\r\nCookie: a=1\r\nCookie: b=2\r\nX-T-a:\t 4 \t\r\n");
  CHECK(marked(seen) == std::vector<std::string>{"X-T-a=1", "X-T-B=two  words", "X-T-a=3",
                                                 "X-T-Empty=", "X-T-Utf=\xc3\xa4", "X-T-a=4"});
  CHECK(seen.all("Cookie") == std::vector<std::string>{"a=1", "b=2"});
  CHECK(seen.get("Authorization") == "Bearer sk-1");
  CHECK(seen.get("Content-Type") == "application/json");
}

TEST_CASE("all other response fields pass with repeated ones and their order and case kept") {
  scripted_replica u{"u",
                     answer_with(response("200 OK", "{}", "X-T-a: 1\r\nX-T-B: 2\r\nX-T-a: 3\r\n"))};
  ready_router r{fleet_of({u})};
  CHECK(marked(exchange_once(r.port(), chat())) ==
        std::vector<std::string>{"X-T-a=1", "X-T-B=2", "X-T-a=3"});
}

TEST_CASE("Host becomes the replica's and is told in X-Forwarded-Host") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  exchange_once(r.port(), chat());
  const auto seen = u.last_request();
  CHECK(seen.all("Host") == std::vector<std::string>{"127.0.0.1:" + std::to_string(u.port())});
  CHECK(seen.all("X-Forwarded-Host") == std::vector<std::string>{"r"});
  CHECK(seen.all("X-Forwarded-Proto") == std::vector<std::string>{"http"});
  CHECK(seen.all("X-Forwarded-For") == std::vector<std::string>{"127.0.0.1"});
}

TEST_CASE("X-Forwarded fields of a proxy before are kept and the client's address is appended") {
  const auto seen = forwarded(
      "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2, 192.0.2.3\r\n"
      "X-Forwarded-Proto: https\r\nX-Forwarded-Host: public.test\r\n");
  CHECK(seen.all("X-Forwarded-For") ==
        std::vector<std::string>{"192.0.2.1, 192.0.2.2, 192.0.2.3, 127.0.0.1"});
  CHECK(seen.all("X-Forwarded-Proto") == std::vector<std::string>{"https"});
  CHECK(seen.all("X-Forwarded-Host") == std::vector<std::string>{"public.test"});
}

TEST_CASE("X-Request-Id is passed on and returned") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat("{}", "X-Request-Id: req-7\r\n"));
  CHECK(answer.all("X-Request-Id") == std::vector<std::string>{"req-7"});
  CHECK(u.last_request().all("X-Request-Id") == std::vector<std::string>{"req-7"});
}

TEST_CASE("X-Request-Id is minted when absent and returned with router errors as well") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto first = exchange_once(r.port(), chat()).get("X-Request-Id");
  CHECK(!first.empty());
  CHECK(u.last_request().get("X-Request-Id") == first);
  const auto second = exchange_once(r.port(), chat()).get("X-Request-Id");
  CHECK(!second.empty());
  CHECK(second != first);
  u.healthy(false);
  REQUIRE(becomes_ready(r.port(), "u", false));
  const auto error = exchange_once(r.port(), chat("{}", "X-Request-Id: req-8\r\n"));
  CHECK(error.status() == 503);
  CHECK(error.all("X-Request-Id") == std::vector<std::string>{"req-8"});
}

TEST_CASE("the resolved session id is sent to the replica exactly once") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& bytes :
       {chat("{}"), chat(R"({"session_id":"b1"})"), chat("{}", session("h1")),
        chat(R"({"session_id":"b1"})", session("h1")), chat("{}", session("not valid!"))}) {
    const auto answer = exchange_once(r.port(), bytes);
    CHECK(u.last_request().all("X-Session-Id") == answer.all("X-Session-Id"));
    CHECK(answer.count("X-Session-Id") == 1);
  }
}

TEST_CASE("X-Replica names the replica that answered") {
  scripted_replica u{"one"};
  scripted_replica v{"two"};
  ready_router r{fleet_of({u, v})};
  for (int i = 0; i < 6; ++i) {
    const auto before = u.request_count();
    const auto name = exchange_once(r.port(), chat()).get("X-Replica");
    CHECK(name == (u.request_count() > before ? "one" : "two"));
  }
  CHECK(exchange_once(r.port(), "GET /v1/models HTTP/1.1\r\nHost: r\r\n\r\n", "GET")
            .has("X-Replica"));
}
