// SPDX-License-Identifier: MIT
// D26: an instance that takes over the name, slot and address of one before it.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

using namespace fleet::rig;

namespace {

using client_ptr = std::unique_ptr<raw_client>;

// Opens a stream without end and gives it with the name of the replica that has it.
std::pair<client_ptr, std::string> stream_from(std::uint16_t port) {
  auto client = std::make_unique<raw_client>(port);
  client->send(chat(R"({"messages":[],"stream":true})"));
  const auto head = client->read_response_head();
  REQUIRE(head.status() == 200);
  return {std::move(client), head.get("X-Replica")};
}

bool both_have(std::uint16_t port, std::int64_t count) {
  return outstanding(port, "n-d0") == count && outstanding(port, "n-d1") == count;
}

// The turn of the instance before is over while its successor has turns, and each turn that follows
// goes where fewest are.
void ends_late(std::uint16_t port, const std::string& name, client_ptr old) {
  const auto other = name == "n-d0" ? "n-d1" : "n-d0";
  REQUIRE(eventually([&] { return both_have(port, 0); }));
  const auto before = health(port).at(other).routed;
  std::vector<client_ptr> streams;
  const auto open = [&](int count) {
    for (int i = 0; i < count; ++i)
      streams.push_back(stream_from(port).first);
  };
  open(2);
  CHECK(both_have(port, 1));
  old->close();
  CHECK(throughout(300ms, [&] { return both_have(port, 1); }));
  open(6);
  CHECK(both_have(port, 4));
  streams.clear();
  CHECK(becomes_idle(port));
  CHECK(health(port).at(name).routed == 4);
  CHECK(health(port).at(other).routed == before + 4);
}

void endless(replica_turn& turn) {
  turn.read_body();
  turn.send(stream_head);
  while (turn.send(event(0)) && turn.pause(20ms)) {
  }
}

// What this router launches only holds the slots; the servers are the test's, so that an old one's
// connections can outlive its process.
struct held_slots {
  explicit held_slots(std::vector<std::string> flags)
      : router{R"({"hosts":[{"name":"n","devices":[0,1],"model":"/m","port_base":)" +
                   std::to_string(base) +
                   R"(,"serve_command":["sh","-c","exec sleep 60","{port}"],"log_dir":")" +
                   dir.path() + "\"}]}",
               with_none(std::move(flags))} {}

  std::unique_ptr<scripted_replica> launch(std::size_t device, scripted_replica::script script) {
    const auto name = "n-d" + std::to_string(device);
    REQUIRE(admin(port(), "POST", "/replicas", R"({"slot":")" + name + "\"}").status() == 202);
    auto server = std::make_unique<scripted_replica>(name, std::move(script), nullptr, "127.0.0.1",
                                                     static_cast<std::uint16_t>(base + device));
    REQUIRE(launched_ready(port(), name));
    return server;
  }
  // As far as the router can see.
  void remove(scripted_replica& server) {
    server.stop_listening();
    REQUIRE(admin(port(), "DELETE", "/replicas/" + server.name()).status() == 200);
  }
  std::uint16_t port() const { return router.port(); }

  temp_dir dir;
  std::uint16_t base = free_ports(2);
  router_process router;

 private:
  static std::vector<std::string> with_none(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--initial-replicas", "0", "--stop-grace", "5"});
    return flags;
  }
};

void both_ready(const launched_pool& p) {
  REQUIRE(p.ready("n-d0"));
  REQUIRE(p.ready("n-d1"));
}

const stub_host endless_stubs{.args = {"--tokens", "100000", "--token-delay-ms", "50"}};

}  // namespace

TEST_CASE("D26 the late end of an old instance's turn is not booked on the one that replaced it") {
  held_slots p({"--drain-timeout", "0.5"});
  auto old = p.launch(0, endless);
  const auto other = p.launch(1, endless);
  auto stays = stream_from(p.port());
  auto goes = stream_from(p.port());
  if (stays.second != "n-d0")
    std::swap(stays, goes);
  REQUIRE(stays.second == "n-d0");
  goes.first->close();
  p.remove(*old);
  const auto fresh = p.launch(0, endless);
  // Its server goes on, so this turn does.
  stays.first->unread().clear();
  CHECK(stays.first->wait_for("data: "));
  ends_late(p.port(), "n-d0", std::move(stays.first));
  CHECK(eventually([&] { return old->open_connections() == 0; }));
  fresh->go_away();
  other->go_away();
  CHECK(p.router.stop() == 0);
}

TEST_CASE("D26 a stream that a drain cut is not counted on the next instance") {
  launched_pool p(endless_stubs, {"--drain-timeout", "0.5", "--initial-replicas", "2"});
  both_ready(p);
  auto [old, busy] = stream_from(p.port());
  REQUIRE(admin(p.port(), "DELETE", "/replicas/" + busy).status() == 200);
  REQUIRE(falls_silent(p.host.port(busy == "n-d0" ? 0 : 1)));
  REQUIRE(admin(p.port(), "POST", "/replicas").status() == 202);
  REQUIRE(p.ready(busy));
  ends_late(p.port(), busy, std::move(old));
}

TEST_CASE("D26 a client that stays on a killed replica's connection is not counted on the next") {
  launched_pool p(endless_stubs,
                  {"--replace-after", "0.4", "--threads", "1", "--initial-replicas", "2"});
  both_ready(p);
  auto [old, busy] = stream_from(p.port());
  ::kill(stubs_on(p.host.port(busy == "n-d0" ? 0 : 1)).at(0), SIGKILL);
  REQUIRE(eventually([&] { return p.router->logged(" replacing "); }, 30s));
  REQUIRE(p.ready(busy));
  ends_late(p.port(), busy, std::move(old));
}

TEST_CASE("D26 a pooled connection to the old instance is not used for the one that replaced it") {
  held_slots p({"--threads", "1"});
  const auto turns = [&](const std::string& by) {
    for (int i = 0; i < 4; ++i)
      CHECK(exchange_once(p.port(), chat()).body == by);
  };
  const auto old = p.launch(0, answer_with(response("200 OK", "old")));
  turns("old");
  CHECK(old->connections() == 1);
  p.remove(*old);
  const auto fresh = p.launch(0, answer_with(response("200 OK", "fresh")));
  turns("fresh");
  CHECK(old->request_count() == 4);
  CHECK(fresh->request_count() == 4);
  CHECK(health(p.port()).at("n-d0").routed == 4);
  fresh->go_away();
  CHECK(p.router.stop() == 0);
}
