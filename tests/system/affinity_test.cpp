// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace fleet::rig;

namespace {

std::string home_of(std::uint16_t port, std::string_view id) {
  const auto answer = exchange_once(port, chat("{}", session(id)));
  CHECK(answer.status() == 200);
  return answer.get("X-Replica");
}

// Answers at once, but holds turns with the body "hold" until the client leaves.
void answer_or_hold(replica_turn& turn) {
  if (turn.read_body().body == "hold")
    turn.wait_closed(1h);
  else
    turn.send(response("200 OK", "{}"));
}

// A turn held open at a replica.
std::unique_ptr<raw_client> hold(std::uint16_t port, std::string_view fields = "") {
  const auto before = health(port).routed;
  auto client = std::make_unique<raw_client>(port);
  client->send(chat("hold", fields));
  REQUIRE(eventually([&] { return health(port).routed == before + 1; }));
  return client;
}

struct two_replicas {
  scripted_replica u{"u", answer_or_hold};
  scripted_replica v{"v", answer_or_hold};
};

}  // namespace

TEST_CASE("sending the id back routes the next turn to the same replica") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v})};
  for (int i = 0; i < 4; ++i) {
    const auto first = exchange_once(r.port(), chat());
    const auto id = first.get("X-Session-Id");
    for (int n = 0; n < 3; ++n)
      CHECK(home_of(r.port(), id) == first.get("X-Replica"));
    CHECK(exchange_once(r.port(), chat(R"({"session_id":")" + id + "\"}")).get("X-Replica") ==
          first.get("X-Replica"));
  }
}

TEST_CASE("a streamed turn keeps the session at its replica as well") {
  scripted_replica u{"u", stream_of(2, 10ms)};
  scripted_replica v{"v", stream_of(2, 10ms)};
  ready_router r{fleet_of({u, v})};
  const auto home = home_of(r.port(), "s");
  for (int i = 0; i < 5; ++i)
    CHECK(home_of(r.port(), "s") == home);
}

TEST_CASE("affinity_hits counts turns that went to their pin and routed all of them") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v})};
  for (int i = 0; i < 4; ++i)
    home_of(r.port(), "s");
  exchange_once(r.port(), chat());
  const auto now = health(r.port());
  CHECK(now.routed == 5);
  CHECK(now.affinity_hits == 3);
  CHECK(now.sessions == 2);
  CHECK(now.rejected == 0);
  CHECK(now.at("u").routed + now.at("v").routed == 5);
}

TEST_CASE("D20 new sessions on an idle fleet spread evenly and each keeps its replica") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v})};
  std::map<std::string, std::string> homes;
  std::map<std::string, int> count;
  for (int i = 0; i < 20; ++i) {
    const auto id = "session-" + std::to_string(i);
    homes[id] = home_of(r.port(), id);
    ++count[homes[id]];
  }
  CHECK(count["u"] >= 8);
  CHECK(count["v"] >= 8);
  std::map<std::string, std::unique_ptr<raw_client>> clients;
  for (const auto& [id, home] : homes) {
    clients[id] = std::make_unique<raw_client>(r.port());
    clients[id]->send(chat("{}", session(id)));
  }
  for (const auto& [id, home] : homes)
    CHECK(clients[id]->read_response().get("X-Replica") == home);
}

TEST_CASE("the replica with the least outstanding requests gets a new session") {
  two_replicas fleet;
  scripted_replica w{"w", answer_or_hold};
  ready_router r{fleet_of({fleet.u, fleet.v, w})};
  std::vector<std::unique_ptr<raw_client>> held;
  held.reserve(9);
  for (int i = 0; i < 9; ++i)
    held.push_back(hold(r.port()));
  for (const auto* name : {"u", "v", "w"})
    CHECK(eventually([&] { return outstanding(r.port(), name) == 3; }));
  // One of them becomes the least loaded.
  fleet.v.go_away();
  fleet.v.come_back();
  REQUIRE(eventually([&] { return outstanding(r.port(), "v") == 0; }));
  REQUIRE(becomes_ready(r.port(), "v"));
  for (int i = 0; i < 5; ++i)
    CHECK(exchange_once(r.port(), chat()).get("X-Replica") == "v");
}

namespace {

// Ids pinned to the replica of the first of them, on an idle fleet.
std::vector<std::string> neighbours(std::uint16_t port, std::size_t count) {
  std::vector<std::string> ids{"n0"};
  const auto home = home_of(port, "n0");
  for (int i = 1; ids.size() < count; ++i)
    if (home_of(port, "n" + std::to_string(i)) == home)
      ids.push_back("n" + std::to_string(i));
  return ids;
}

}  // namespace

TEST_CASE("a pinned replica is kept until it lags by more than the slack and then loses the pin") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v}), {"--affinity-slack", "2"}};
  const auto ids = neighbours(r.port(), 4);
  const auto home = home_of(r.port(), ids[0]);
  std::vector<std::unique_ptr<raw_client>> held;
  for (std::size_t i = 1; i <= 2; ++i)
    held.push_back(hold(r.port(), session(ids[i])));
  REQUIRE(eventually([&] { return outstanding(r.port(), home) == 2; }));
  CHECK(home_of(r.port(), ids[0]) == home);
  held.push_back(hold(r.port(), session(ids[3])));
  REQUIRE(eventually([&] { return outstanding(r.port(), home) == 3; }));
  CHECK(home_of(r.port(), ids[0]) != home);
  // The session has its pin at the other one now.
  held.clear();
  REQUIRE(becomes_idle(r.port()));
  CHECK(home_of(r.port(), ids[0]) != home);
}

TEST_CASE("slack 0 disables affinity: ids are returned and no pin is read or written") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v}), {"--affinity-slack", "0"}};
  std::map<std::string, int> count;
  for (int i = 0; i < 10; ++i) {
    const auto answer = exchange_once(r.port(), chat("{}", session("s")));
    CHECK(answer.get("X-Session-Id") == "s");
    ++count[answer.get("X-Replica")];
  }
  CHECK(count.size() == 2);
  CHECK(exchange_once(r.port(), chat()).get("X-Session-Id").size() == 32);
  const auto now = health(r.port());
  CHECK(now.sessions == 0);
  CHECK(now.affinity_hits == 0);
  CHECK(now.routed == 11);
}

TEST_CASE("simultaneous first turns of one id share one pin") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v})};
  for (int round = 0; round < 5; ++round) {
    const auto turn = chat("{}", session("same-" + std::to_string(round)));
    const auto clients = many_clients(r.port(), 6);
    for (auto& each : clients)
      each->send(turn);
    const auto home = clients.front()->read_response().get("X-Replica");
    for (std::size_t i = 1; i < clients.size(); ++i)
      CHECK(clients[i]->read_response().get("X-Replica") == home);
  }
}

TEST_CASE("a pin expires after the session ttl of inactivity and is swept") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v}), {"--session-ttl", "1"}};
  for (int i = 0; i < 5; ++i)
    exchange_once(r.port(), chat());
  CHECK(health(r.port()).sessions == 5);
  CHECK(eventually([&] { return health(r.port()).sessions == 0; }));
  home_of(r.port(), "s");
  CHECK(eventually([&] { return health(r.port()).sessions == 0; }));
  home_of(r.port(), "s");
  CHECK(health(r.port()).affinity_hits == 0);
}

TEST_CASE("a pin ages from the end of the last turn and one with a turn in flight never expires") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v}), {"--session-ttl", "1"}};
  auto held = hold(r.port(), session("s"));
  CHECK(throughout(3s, [&] { return health(r.port()).sessions == 1; }));
  const auto end = clock::now();
  held.reset();
  CHECK(eventually([&] { return health(r.port()).sessions == 0; }));
  CHECK(clock::now() - end > 900ms);
}

TEST_CASE("pins are capped by --max-sessions and the least recently used goes first") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v}), {"--max-sessions", "64"}};
  raw_client client{r.port()};
  const auto turn = [&](std::string_view fields) {
    client.send(chat("{}", fields));
    CHECK(client.read_response().status() == 200);
  };
  constexpr int rounds = 300;
  for (int i = 0; i < rounds; ++i) {
    turn("");
    turn(session("kept"));
  }
  const auto now = health(r.port());
  CHECK(now.sessions <= 64);
  CHECK(now.sessions > 8);
  CHECK(now.affinity_hits == rounds - 1);
}

TEST_CASE("a GET with a session's id goes to the session's replica") {
  two_replicas fleet;
  ready_router r{fleet_of({fleet.u, fleet.v})};
  for (const auto* id : {"a", "b"}) {
    const auto home = home_of(r.port(), id);
    for (int i = 0; i < 4; ++i)
      CHECK(exchange_once(r.port(),
                          "GET /v1/responses/r1 HTTP/1.1\r\nHost: r\r\n" + session(id) + "\r\n",
                          "GET")
                .get("X-Replica") == home);
  }
}
