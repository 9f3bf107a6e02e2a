// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

// Connections that carry many requests stay in step, whatever one of them meets.

TEST_CASE("fifty requests sent at once are answered in order") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       const auto body = turn.read_body().body;
                       turn.send(response("200 OK", body));
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += i % 2 == 0 ? chat(std::to_string(i)) : chunked_chat(std::to_string(i), 1);
  client.send(all);
  for (int i = 0; i < 50; ++i)
    CHECK(client.read_response().body == std::to_string(i));
}

TEST_CASE("a router error leaves its connection in step") {
  scripted_replica u;
  u.healthy(false);
  router_process r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat("{}"));
  CHECK(client.read_response().status() == 503);
  client.send(request("POST", "/nowhere", "some body"));
  CHECK(client.read_response().status() == 404);
  client.send(request("PUT", "/health", "some body"));
  CHECK(client.read_response().status() == 405);
  u.healthy(true);
  REQUIRE(becomes_ready(r.port(), "u"));
  client.send(chat());
  CHECK(client.read_response().status() == 200);
}

TEST_CASE("the answer to HEAD has no body when the router gives it either") {
  scripted_replica u;
  u.healthy(false);
  router_process r{fleet_of({u})};
  raw_client client{r.port()};
  for (const auto& [target, status] :
       {std::pair{"/v1/models", 503}, std::pair{"/nowhere", 404}, std::pair{"/health", 503}}) {
    client.send("HEAD " + std::string{target} + " HTTP/1.1\r\nHost: r\r\n\r\n");
    CHECK(client.read_response("HEAD").status() == status);
  }
}

TEST_CASE("a 502 of one turn leaves the client's connection in step") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       if (turn.read_body().body == "break")
                         turn.close();
                       else
                         turn.send(response("200 OK", "{}"));
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat("break"));
  CHECK(client.read_response().status() == 502);
  client.send(chat());
  CHECK(client.read_response().status() == 200);
}

TEST_CASE("extensions and trailers of a replica's chunks are no part of the body") {
  scripted_replica u{"u", answer_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                      "5;x=\"y\"\r\nhello\r\n0;last\r\nX-Sum: 1\r\n\r\n")};
  ready_router r{fleet_of({u}), {"--threads", "1"}};
  raw_client client{r.port()};
  for (int i = 0; i < 3; ++i) {
    client.send(chat());
    const auto answer = client.read_response();
    CHECK(answer.complete());
    CHECK(answer.body == "hello");
  }
}

TEST_CASE("an answer split at every byte is relayed whole") {
  const auto bytes = "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n" + event(0) +
                     std::string{last_chunk};
  scripted_replica u{"u", [&](replica_turn& turn) {
                       turn.read_body();
                       for (const char byte : bytes) {
                         turn.send({&byte, 1});
                         turn.pause(1ms);
                       }
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (int i = 0; i < 2; ++i) {
    client.send(chat());
    const auto answer = client.read_response();
    CHECK(answer.get("X-A") == "b");
    CHECK(answer.body == event_text(0));
    CHECK(answer.complete());
  }
}
