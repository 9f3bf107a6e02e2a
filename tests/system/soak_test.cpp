// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <random>
#include <thread>

using namespace fleet::rig;

namespace {

// What a replica does with a turn, as the first letter of its body says.
void act_out(replica_turn& turn) {
  const auto body = turn.read_body().body;
  switch (body.empty() ? 'a' : body.front()) {
    case 'b':
      return stream_of(3, 5ms)(turn);
    case 'c':
      return turn.close();
    case 'd':
      return turn.rst();
    case 'e':
      turn.send(std::string{stream_head} + event(0));
      return turn.rst();
    case 'f':
      turn.send(response("200 OK", std::string(300'000, 'f')));
      return;
    case 'g':
      turn.wait_closed(1h);
      return;
    case 'h':
      turn.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end");
      return turn.close();
    default:
      turn.send(response("200 OK", "{}"));
  }
}

// What the clients noted.
struct rowdy_log {
  std::mutex mutex;
  std::string text;
  void add(const std::string& line) {
    const std::lock_guard lock{mutex};
    text += line + "\n";
  }
};

// A client that does what its random numbers say until `deadline`, and notes each turn that ended
// otherwise than its kind should.
void play(std::uint16_t port, unsigned seed, clock::time_point deadline, rowdy_log& wrong) {
  std::mt19937 dice{seed};
  while (clock::now() < deadline) {
    raw_client client{port};
    for (int turns = static_cast<int>(dice() % 5); turns >= 0; --turns) {
      const char kind = "aaaabbbcdefgh"[dice() % 13];
      const auto id = "s" + std::to_string(dice() % 20);
      client.send(chat(std::string(1 + dice() % 3000, kind), session(id)), 2s);
      if (kind == 'g' || dice() % 6 == 0) {
        if (dice() % 2 == 0)
          client.fill(20ms);
        dice() % 2 == 0 ? client.rst() : client.half_close();
        break;
      }
      const auto answer = client.read_response();
      const bool whole = answer.status() == 200 && answer.complete();
      if (whole != (std::string_view{"abfh"}.find(kind) != std::string_view::npos))
        wrong.add(std::string{kind} + " " + answer.start_line);
      if (!answer.complete())
        break;
    }
  }
}

}  // namespace

TEST_CASE("after a storm of failing replicas and leaving clients every count is back at rest") {
  scripted_replica u{"u", act_out};
  scripted_replica v{"v", act_out};
  ready_router r{fleet_of({u, v}), {"--max-sessions", "1000"}};
  const auto descriptors = r.process().descriptors();
  rowdy_log wrong;
  std::vector<std::thread> players(8);
  const auto deadline = clock::now() + 3s;
  for (std::size_t i = 0; i < players.size(); ++i)
    players[i] = std::thread{[&, i] { play(r.port(), 17 + unsigned(i), deadline, wrong); }};
  for (auto& each : players)
    each.join();
  CHECK(wrong.text == "");
  CHECK(becomes_idle(r.port()));
  const auto now = health(r.port());
  CHECK(now.replicas_ready == 2);
  CHECK(now.routed == now.at("u").routed + now.at("v").routed);
  CHECK(now.routed > 100);
  CHECK(now.affinity_hits > 0);
  CHECK(now.affinity_hits <= now.routed);
  CHECK(now.rejected == 0);
  CHECK(now.sessions <= 20);
  // Pooled connections go after 4 s.
  CHECK(eventually([&] { return r.process().descriptors() <= descriptors + 4; }));
  CHECK(r.stop() == 0);
}
