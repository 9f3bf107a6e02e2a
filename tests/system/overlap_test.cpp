// SPDX-License-Identifier: MIT
// Answers and requests that overlap.
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>

using namespace fleet::rig;

TEST_CASE("a replica that answers 200 while it reads on gets the whole upload") {
  const std::size_t size = 8UL << 20;
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.send(std::string{stream_head} + event(0));
                       turn.pause(100ms);
                       const auto got = turn.read_body().body.size();
                       turn.send(chunk(std::to_string(got)) + std::string{last_chunk});
                     }};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat(std::string(size, 'a')));
  CHECK(answer.status() == 200);
  CHECK(answer.complete());
  CHECK(answer.body.ends_with(std::to_string(size)));
}

TEST_CASE("a whole answer of a replica that reads no more of the upload is relayed as it is") {
  for (const std::string begin : {"", "HTTP/1.1 100 Continue\r\n\r\n"}) {
    scripted_replica u{"u", [&](replica_turn& turn) {
                         turn.read_some_body(64 * 1024);
                         turn.send(begin + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
                         while (turn.pause(100ms)) {
                         }
                       }};
    ready_router r{fleet_of({u})};
    const auto answer = exchange_once(r.port(), chat(std::string(32UL << 20, 'a')));
    CHECK(answer.status() == 200);
    CHECK(answer.body == "hello");
    CHECK(eventually([&] { return outstanding(r.port(), "u") == 0; }));
  }
}

TEST_CASE("a turn with more pipelined behind it than is kept ends with a second signal") {
  scripted_replica u{"u", stay_mute};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat() + chat(std::string(100'000, 'a')));
  REQUIRE(eventually([&] { return outstanding(r.port(), "u") == 1; }));
  r.signal(SIGTERM);
  REQUIRE(eventually([&] { return r.logged("stopping"); }));
  r.signal(SIGTERM);
  CHECK(r.process().wait_exit(4s) == 0);
}

TEST_CASE(
    "a client that leaves with more pipelined behind its turn than is kept is seen to leave") {
  std::atomic<bool> let_go = false;
  scripted_replica u{"u", [&](replica_turn& turn) { let_go = turn.wait_closed(); }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat() + chat(std::string(100'000, 'a')));
  REQUIRE(eventually([&] { return outstanding(r.port(), "u") == 1; }));
  client.close();
  CHECK(eventually([&] { return let_go.load(); }, 3s));
  CHECK(eventually([&] { return outstanding(r.port(), "u") == 0; }, 3s));
}

TEST_CASE("a turn that could not connect to its pin is no hit and no turn of that replica") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v}), {"--health-interval", "60"}};
  REQUIRE(exchange_once(r.port(), chat("{}", session("s"))).get("X-Replica") == "u");
  u.go_away();
  CHECK(exchange_once(r.port(), chat("{}", session("s"))).get("X-Replica") == "v");
  const auto view = health(r.port());
  CHECK(view.routed == 2);
  CHECK(view.affinity_hits == 0);
  CHECK(view.at("u").routed == 1);
  CHECK(view.at("v").routed == 1);
}
