// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

// Holds each probe of a replica until the test says what it is answered.
class probe_gate {
 public:
  explicit probe_gate(scripted_replica& at) {
    at.on_health([state = state_](replica_turn& turn) {
      const auto mine = state->arrived++;
      while (state->answered <= mine)
        if (!turn.pause(2ms))
          return;
      turn.send(response(state->status == 200 ? "200 OK" : "503 Service Unavailable", "{}"));
    });
  }

  // Answers the probe that waits (or the next to come) and returns when the router has sent the
  // one after it, so that it has taken this answer in.
  bool answer(int status) {
    const auto mine = state_->answered.load();
    if (!eventually([&] { return state_->arrived > mine; }))
      return false;
    state_->status = status;
    ++state_->answered;
    return eventually([&] { return state_->arrived > mine + 1; });
  }

 private:
  struct shared {
    std::atomic<std::size_t> arrived = 0;
    std::atomic<std::size_t> answered = 0;
    std::atomic<int> status = 200;
  };
  std::shared_ptr<shared> state_ = std::make_shared<shared>();
};

std::string home_of(std::uint16_t port, std::string_view id) {
  return exchange_once(port, chat("{}", session(id))).get("X-Replica");
}

// A session pinned to this replica.
std::string session_at(std::uint16_t port, const std::string& replica) {
  for (int i = 0;; ++i) {
    auto id = "s" + std::to_string(i);
    REQUIRE(i < 50);
    if (home_of(port, id) == replica)
      return id;
  }
}

}  // namespace

TEST_CASE("GET /health tells the state of the whole table") {
  scripted_replica u{"node0"};
  scripted_replica v{"node1"};
  v.healthy(false);
  router_process r{fleet_of({u, v})};
  REQUIRE(becomes_ready(r.port(), "node0"));
  exchange_once(r.port(), chat());
  const auto now = health(r.port());
  CHECK(now.http_status == 200);
  CHECK(now.status == "ok");
  CHECK(now.replicas_ready == 1);
  CHECK(now.replicas_total == 2);
  CHECK(now.replicas_failed == 0);
  CHECK(now.sessions == 1);
  CHECK(now.routed == 1);
  REQUIRE(now.replicas.size() == 2);
  CHECK(now.replicas[0].name == "node0");
  CHECK(now.replicas[0].url == "http://127.0.0.1:" + std::to_string(u.port()));
  CHECK(now.replicas[0].ready);
  CHECK(now.replicas[0].phase == "ready");
  CHECK(now.replicas[0].routed == 1);
  CHECK(!now.replicas[0].owned);
  CHECK(!now.replicas[0].draining);
  CHECK(!now.replicas[1].ready);
  CHECK(now.replicas[1].phase == "starting");
}

TEST_CASE("GET /health is JSON and no cache may keep it") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto answer = get(r.port(), "/health");
  CHECK(answer.get("Content-Type").starts_with("application/json"));
  CHECK(get(r.port(), "/health?verbose=1").status() == 200);
}

TEST_CASE("GET /health is a 503 with no_replicas when none is routable") {
  scripted_replica u;
  u.healthy(false);
  router_process r{fleet_of({u})};
  const auto now = health(r.port());
  CHECK(now.http_status == 503);
  CHECK(now.status == "no_replicas");
  CHECK(now.replicas_ready == 0);
  u.healthy(true);
  REQUIRE(becomes_ready(r.port(), "u"));
  CHECK(health(r.port()).http_status == 200);
}

TEST_CASE("a replica that served and stopped answering is failed and counted in replicas_failed") {
  scripted_replica u;
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v})};
  u.go_away();
  REQUIRE(becomes_ready(r.port(), "u", false));
  const auto now = health(r.port());
  CHECK(now.at("u").phase == "failed");
  CHECK(now.replicas_failed == 1);
  CHECK(now.replicas_ready == 1);
  CHECK(now.status == "ok");
  u.come_back();
  REQUIRE(becomes_ready(r.port(), "u"));
  CHECK(health(r.port()).at("u").phase == "ready");
  CHECK(health(r.port()).replicas_failed == 0);
}

TEST_CASE("static replicas are probed before the first request is answered") {
  scripted_replica u;
  u.on_health([](replica_turn& turn) {
    turn.pause(50ms);
    turn.send(response("200 OK", "{}"));
  });
  router_process r{fleet_of({u}), {"--health-interval", "30"}};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
}

TEST_CASE("a replica that does not answer its probe does not hold up the first request for long") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  v.on_health([](replica_turn& turn) { turn.wait_closed(1h); });
  router_process r{fleet_of({u, v}), {"--connect-timeout", "30"}};
  const auto start = clock::now();
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(clock::now() - start < 5s);
}

TEST_CASE("only a 200 is a good probe") {
  for (const auto* status :
       {"204 No Content", "302 Found", "404 Not Found", "500 Internal", "201 Created"}) {
    CAPTURE(status);
    scripted_replica u;
    u.on_health(answer_with("HTTP/1.1 " + std::string{status} +
                            "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    router_process r{fleet_of({u}), {"--health-interval", "0.1"}};
    REQUIRE(eventually([&] { return u.probes() >= 4; }));
    CHECK(!health(r.port()).at("u").ready);
  }
}

TEST_CASE("a probe is GET /health with the replica's Host") {
  std::mutex mutex;
  message probe;
  scripted_replica u;
  u.on_health([&](replica_turn& turn) {
    const std::lock_guard lock{mutex};
    probe = turn.request();
    turn.send(response("200 OK", "{}"));
  });
  ready_router r{fleet_of({u})};
  const std::lock_guard lock{mutex};
  CHECK(probe.start_line == "GET /health HTTP/1.1");
  CHECK(probe.get("Host") == "127.0.0.1:" + std::to_string(u.port()));
  CHECK(!probe.has("Authorization"));
}

TEST_CASE(
    "D58 a replica leaves rotation after two failures in a row and the first 200 returns it") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  probe_gate gate{u};
  router_process r{fleet_of({u, v}), {"--health-interval", "0.05", "--connect-timeout", "30"}};
  REQUIRE(gate.answer(200));
  REQUIRE(becomes_ready(r.port(), "v"));
  REQUIRE(becomes_ready(r.port(), "u"));
  const auto id = session_at(r.port(), "u");
  for (const int status : {200, 503, 200, 503, 200, 503}) {
    REQUIRE(gate.answer(status));
    CHECK(health(r.port()).at("u").ready);
    CHECK(home_of(r.port(), id) == "u");
  }
  REQUIRE(gate.answer(503));
  CHECK(!health(r.port()).at("u").ready);
  CHECK(home_of(r.port(), id) == "v");
  REQUIRE(gate.answer(200));
  CHECK(health(r.port()).at("u").ready);
  // Re-pinned: the session stays where it went.
  CHECK(home_of(r.port(), id) == "v");
}

TEST_CASE("D58 probes that take most of the interval keep a replica in rotation") {
  scripted_replica u;
  u.on_health([](replica_turn& turn) {
    turn.pause(240ms);
    turn.send(response("200 OK", "{}"));
  });
  ready_router r{fleet_of({u}), {"--health-interval", "0.3", "--connect-timeout", "5"}};
  const auto from = u.probes();
  CHECK(!eventually([&] { return !health(r.port()).at("u").ready; }, 3s));
  CHECK(u.probes() >= from + 4);
}

TEST_CASE("D44 a replica that accepts and stays mute goes out and holds up no other") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v}), {"--health-interval", "0.2", "--connect-timeout", "0.5"}};
  const auto sockets = r.process().descriptors();
  u.on_health([](replica_turn& turn) { turn.wait_closed(1h); });
  const auto start = clock::now();
  REQUIRE(becomes_ready(r.port(), "u", false));
  CHECK(clock::now() - start > 500ms);
  CHECK(clock::now() - start < 5s);
  std::size_t most = 0;
  for (int flip = 0; flip < 4; ++flip) {
    const bool good = flip % 2 == 1;
    v.healthy(good);
    const auto changed = clock::now();
    CHECK(eventually([&] {
      most = std::max(most, u.open_probes());
      return health(r.port()).at("v").ready == good;
    }));
    CHECK(clock::now() - changed < 3s);
    throughout(500ms, [&] {
      most = std::max(most, u.open_probes());
      return true;
    });
  }
  CHECK(most >= 1);
  CHECK(most <= 2);
  CHECK(r.process().descriptors() <= sockets + 8);
}

TEST_CASE("a replica that cannot be connected to leaves rotation at once and the turn goes on") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v}), {"--health-interval", "2"}};
  const auto id = session_at(r.port(), "u");
  u.go_away();
  const auto answer = exchange_once(r.port(), chat(R"({"turn":2})", session(id)));
  CHECK(answer.status() == 200);
  CHECK(answer.get("X-Replica") == "v");
  CHECK(answer.get("X-Session-Id") == id);
  CHECK(v.last_request().body == R"({"turn":2})");
  CHECK(!health(r.port()).at("u").ready);
  u.come_back();
  REQUIRE(becomes_ready(r.port(), "u"));
  // The session was pinned again where its turn went.
  CHECK(home_of(r.port(), id) == "v");
}

TEST_CASE("a replica that could not be connected to is not asked for the rest of its turns") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  scripted_replica w{"w"};
  ready_router r{fleet_of({u, v, w}), {"--health-interval", "30"}};
  u.go_away();
  v.go_away();
  for (int i = 0; i < 6; ++i)
    CHECK(exchange_once(r.port(), chat()).get("X-Replica") == "w");
  CHECK(health(r.port()).replicas_ready == 1);
  w.go_away();
  CHECK(exchange_once(r.port(), chat()).status() == 502);
  CHECK(exchange_once(r.port(), chat()).status() == 503);
}

TEST_CASE("a probe whose answer never ends is bounded in time and memory") {
  scripted_replica u;
  u.on_health([](replica_turn& turn) {
    turn.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    const std::string block(64UL << 10, 'h');
    while (turn.send(block, 1h)) {
    }
  });
  scripted_replica v{"v"};
  router_process r{fleet_of({u, v}), {"--health-interval", "0.1", "--connect-timeout", "0.3"}};
  REQUIRE(becomes_ready(r.port(), "v"));
  const auto before = r.process().resident_kib();
  CHECK(eventually([&] { return u.probes() >= 5; }));
  CHECK(r.process().resident_kib() < before + growth_kib(2UL << 10));
  CHECK(u.open_probes() <= 2);
}

TEST_CASE("a replica without a name is called by its host and port and IPv6 stands in brackets") {
  scripted_replica u{"", answer_ok, nullptr, "::1"};
  scripted_replica v{""};
  const auto entry = [](const std::string& host, std::uint16_t port) {
    return R"({"host":")" + host + R"(","port":)" + std::to_string(port) + "}";
  };
  ready_router r{R"({"replicas":[)" + entry("::1", u.port()) + "," + entry("127.0.0.1", v.port()) +
                 "]}"};
  const auto six = "[::1]:" + std::to_string(u.port());
  const auto four = "127.0.0.1:" + std::to_string(v.port());
  CHECK(health(r.port()).at(six).url == "http://" + six);
  CHECK(health(r.port()).at(four).url == "http://" + four);
  for (int i = 0; i < 4; ++i) {
    const auto name = exchange_once(r.port(), chat()).get("X-Replica");
    CHECK((name == six || name == four));
  }
  CHECK(u.last_request().get("Host") == six);
  CHECK(v.last_request().get("Host") == four);
}
