// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

std::string expecting(std::size_t size) {
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: r\r\nContent-Length: " +
         std::to_string(size) + "\r\nExpect: 100-continue\r\n\r\n";
}

}  // namespace

TEST_CASE("D28 Expect: 100-continue is answered at once and not passed on") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  const std::string body(2'000'000, 'x');
  client.send(expecting(body.size()));
  REQUIRE(client.wait_for("\r\n\r\n", 3s));
  CHECK(client.unread() == "HTTP/1.1 100 Continue\r\n\r\n");
  client.unread().clear();
  client.send(body);
  CHECK(client.read_response().status() == 200);
  CHECK(u.last_request().body == body);
  CHECK(!u.last_request().has("Expect"));
  // A request after it on the same connection is answered as usual.
  client.send(chat());
  CHECK(client.read_response().status() == 200);
}

TEST_CASE("D28 with no ready replica Expect: 100-continue ends in a 503") {
  scripted_replica u;
  u.healthy(false);
  router_process r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(expecting(2'000'000));
  auto answer = client.read_response_head(3s);
  if (answer.status() == 100) {
    client.send(std::string(2'000'000, 'x'));
    answer = client.read_response_head();
  }
  CHECK(answer.status() == 503);
}

TEST_CASE("D28 a body over the limit is refused before it is asked for") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--max-body", "1000"}};
  raw_client client{r.port()};
  client.send(expecting(1001));
  CHECK(client.read_response().status() == 413);
}

TEST_CASE("D28 an unknown expectation is answered and not passed on") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto status = exchange_once(r.port(), chat("{}", "Expect: 200-maybe\r\n")).status();
  CHECK((status == 200 || status == 417));
  CHECK(!u.last_request().has("Expect"));
}

TEST_CASE("D32 an offer of h2c or websocket is dropped and the request goes on without") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const std::string h2c =
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n";
  const std::string websocket =
      "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
  for (const auto& bytes : {chat(R"({"a":1})", h2c), chunked_chat(R"({"a":1})", 3, h2c),
                            chat(R"({"a":1})", websocket)}) {
    CHECK(exchange_once(r.port(), bytes).status() == 200);
    const auto seen = u.last_request();
    CHECK(seen.body == R"({"a":1})");
    CHECK(!seen.has("Upgrade"));
    CHECK(!seen.has("HTTP2-Settings"));
    CHECK(seen.get("Connection").find("pgrade") == std::string::npos);
  }
}

TEST_CASE("D52 no ready replica is a 503 in the form of an OpenAI error") {
  scripted_replica u;
  u.healthy(false);
  router_process r{fleet_of({u})};
  for (int i = 0; i < 3; ++i) {
    const auto answer = exchange_once(r.port(), chat());
    CHECK(answer.status() == 503);
    CHECK(answer.get("Content-Type").starts_with("application/json"));
    CHECK(answer.get("Retry-After") == "1");
    const auto error = router_error(answer.body);
    CHECK(error.code == "no_replica");
    CHECK(error.type == "router_error");
    CHECK(error.object == "error");
    CHECK(!error.message.empty());
    CHECK(error.message == error.error_message);
  }
  const auto now = health(r.port());
  CHECK(now.rejected == 3);
  CHECK(now.routed == 0);
  CHECK(now.sessions == 0);
}

TEST_CASE("D52 a replica that refuses the connection is a 502 and leaves no pin") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--health-interval", "30"}};
  u.go_away();
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 502);
  CHECK(answer.get("Content-Type").starts_with("application/json"));
  CHECK(router_error(answer.body).code == "connect_failed");
  // Out of rotation at once: the next tries find no replica at all.
  for (int i = 0; i < 2; ++i)
    CHECK(exchange_once(r.port(), chat()).status() == 503);
  const auto now = health(r.port());
  CHECK(now.rejected == 2);
  CHECK(now.sessions == 0);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D52 a replica that is too slow is a 504 in the form of an OpenAI error") {
  scripted_replica u{"u", stay_mute};
  ready_router r{fleet_of({u}), {"--request-timeout", "0.3"}};
  for (int i = 0; i < 3; ++i) {
    const auto answer = exchange_once(r.port(), chat());
    CHECK(answer.status() == 504);
    CHECK(answer.get("Content-Type").starts_with("application/json"));
    CHECK(router_error(answer.body).code == "timeout");
    const auto line = "turn_timeout request_id=" + answer.get("X-Request-Id") + " answer=none";
    CHECK(eventually([&] { return r.logged(line); }));
  }
  CHECK(health(r.port()).rejected == 0);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D64 a body in any coding or form is forwarded untouched") {
  using namespace std::string_literals;
  scripted_replica u;
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v})};
  const auto gzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x2d\x2a\xca\x2f"s;
  const auto zstd = "\x28\xb5\x2f\xfd\x04\x00\x41\x00\x00hello\x00\xff"s;
  const auto form = "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n" +
                    std::string(2'000'000, '\x80') + "\r\n--b--\r\n";
  const auto post = [&](const std::string& body, const std::string& fields) {
    auto answer = exchange_once(r.port(), request("POST", "/v1/files", body, fields));
    CHECK(answer.status() == 200);
    const auto& seen = answer.get("X-Replica") == "u" ? u : v;
    CHECK(seen.last_request().body == body);
    return answer;
  };
  CHECK(post(gzip, "Content-Encoding: gzip\r\n").get("X-Session-Id").size() == 32);
  const auto home = post(gzip, "Content-Encoding: gzip\r\n" + session("s")).get("X-Replica");
  for (int i = 0; i < 3; ++i) {
    const auto answer = post(zstd, "Content-Encoding: zstd\r\n" + session("s"));
    CHECK(answer.get("X-Replica") == home);
    CHECK(answer.get("X-Session-Id") == "s");
    const auto& seen = home == "u" ? u : v;
    CHECK(seen.last_request().get("Content-Encoding") == "zstd");
  }
  post(form, "X-Form: multipart/form-data; boundary=b\r\n");
}

TEST_CASE("a body that is no JSON is not an error of the router") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const std::string body : {"", "not json", "{\"session_id\":", "[1,2", "\xff\xfe", "{}{}"}) {
    CAPTURE(body);
    const auto answer = exchange_once(r.port(), chat(body));
    CHECK(answer.status() == 200);
    CHECK(answer.get("X-Session-Id").size() == 32);
    CHECK(u.last_request().body == body);
  }
}

TEST_CASE("an unknown path is a 404 and another method on a known path a 405") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto* target : {"/", "/nowhere", "/v1", "/v2/x", "/healthz", "/health/"}) {
    CAPTURE(target);
    const auto answer = get(r.port(), target);
    CHECK(answer.status() == 404);
    CHECK(router_error(answer.body).code == "not_found");
  }
  for (const auto* method : {"POST", "DELETE", "PUT"}) {
    const auto answer = exchange_once(r.port(), request(method, "/health", "{}"));
    CHECK(answer.status() == 405);
    CHECK(router_error(answer.body).code == "method_not_allowed");
    CHECK(answer.get("Allow").find("GET") != std::string::npos);
  }
  CHECK(u.request_count() == 0);
}

TEST_CASE("CONNECT is refused") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto answer =
      exchange_once(r.port(), "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n");
  CHECK(answer.status() >= 400);
  CHECK(u.request_count() == 0);
}

TEST_CASE("any path under /v1/ is forwarded with any method") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto* method : {"POST", "PUT", "PATCH", "DELETE", "GET", "ODD"}) {
    for (const auto* target : {"/v1/completions", "/v1/embeddings", "/v1/x/y?z"}) {
      CHECK(exchange_once(r.port(), request(method, target, "{}")).status() == 200);
      CHECK(u.last_request().start_line == std::string{method} + " " + target + " HTTP/1.1");
      CHECK(u.last_request().body == "{}");
    }
  }
}

TEST_CASE("a POST without length or coding has an empty body") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (int i = 0; i < 2; ++i) {
    client.send("POST /v1/x HTTP/1.1\r\nHost: r\r\n\r\n");
    CHECK(client.read_response().status() == 200);
    CHECK(u.last_request().body.empty());
  }
}
