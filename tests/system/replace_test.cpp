// SPDX-License-Identifier: MIT
// A launched replica that dies is replaced. Spec: "When a replica dies".
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/types.h>

using namespace fleet::rig;

namespace {

const std::vector<std::string> quick{"--health-interval", "0.2", "--replace-after", "0.4"};

std::vector<std::string> quick_with(std::size_t replicas) {
  auto flags = quick;
  flags.insert(flags.end(), {"--initial-replicas", std::to_string(replicas)});
  return flags;
}

// The replica of this slot ends without a word; its pid.
int kill_outright(const launched_pool& p, std::size_t device) {
  const int victim = stubs_on(p.host.port(device)).at(0);
  ::kill(victim, SIGKILL);
  return victim;
}

// One replica, killed and cleaned up: its slot waits 10 s for the next.
struct waiting_pool : launched_pool {
  waiting_pool() : launched_pool({}, quick) {
    REQUIRE(ready("n-d0"));
    kill_outright(*this, 0);
    REQUIRE(eventually([&] { return router->logged("replacement_waits"); }));
  }
};

}  // namespace

TEST_CASE("a replica killed outright is replaced, and the survivor serves every turn meanwhile") {
  launched_pool p({.args = {"--tokens", "40", "--token-delay-ms", "25"}}, quick_with(2));
  REQUIRE(p.ready("n-d0"));
  REQUIRE(p.ready("n-d1"));
  raw_client first{p.port()};
  raw_client second{p.port()};
  for (auto* client : {&first, &second})
    client->send(chat(R"({"messages":[],"stream":true})"));
  const auto head = first.read_response_head();
  const auto other = second.read_response_head();
  REQUIRE(head.get("X-Replica") != other.get("X-Replica"));
  auto& cut = head.get("X-Replica") == "n-d0" ? first : second;
  auto& whole = head.get("X-Replica") == "n-d0" ? second : first;
  REQUIRE(cut.wait_for("data: "));
  const int victim = kill_outright(p, 0);
  CHECK(cut.wait_end() != read_state::timeout);
  CHECK(cut.unread().find("[DONE]") == std::string::npos);
  CHECK(whole.wait_for("[DONE]"));

  CHECK(health(p.port()).at("n-d0").phase == "failed");
  CHECK(health(p.port()).replicas_failed == 1);
  CHECK(p.capacity_has(R"("replacing":[{"slot":"n-d0","attempt":1,"retry_in":)"));
  bool back = false;
  const auto deadline = clock::now() + 40s;
  while (!back && clock::now() < deadline) {
    back = health(p.port()).at("n-d0").ready;
    const auto answer = exchange_once(p.port(), chat(R"({"messages":[],"max_tokens":2})"));
    CHECK(answer.status() == 200);
    if (!back)
      CHECK(health(p.port()).replicas_total == 2);
  }
  CHECK(back);
  const auto now = stubs_on(p.host.port(0));
  REQUIRE(now.size() == 1);
  CHECK(now.front() != victim);
  CHECK(health(p.port()).replicas_ready == 2);
  CHECK(health(p.port()).replicas_failed == 0);
  CHECK(p.capacity_has(R"("abandoned":[],"replacing":[])"));
  for (const auto* event : {"replica_lost", "replacement_waits", "replacing"})
    CHECK(p.router->logged(event));
}

TEST_CASE("D90 DELETE of a slot that waits for its replacement cancels that") {
  waiting_pool p;
  CHECK(health(p.port()).at("n-d0").phase == "failed");
  const auto answer = admin(p.port(), "DELETE", "/replicas/n-d0");
  CHECK(answer.status() == 200);
  CHECK(answer.body.find(R"("name":"n-d0","stopped":true)") != std::string::npos);
  CHECK(p.capacity_has(R"("free_slots":["n-d0","n-d1"])"));
  CHECK(p.capacity_has(R"("replacing":[])"));
  CHECK(health(p.port()).replicas_total == 0);
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("D90 POST for a slot that waits for its replacement launches at once") {
  waiting_pool p;
  const auto answer = admin(p.port(), "POST", "/replicas", R"({"slot":"n-d0"})");
  CHECK(answer.status() == 202);
  CHECK(answer.get("Location") == "/replicas/n-d0");
  CHECK(p.ready("n-d0"));
  CHECK(health(p.port()).replicas_total == 1);
  CHECK(p.capacity_has(R"("replacing":[])"));
}

TEST_CASE("D78 SIGTERM while a slot waits for its replacement ends the wait, and nothing starts") {
  waiting_pool p;
  CHECK(p.router->stop(5s) == 0);
  CHECK(stubs_on(p.host.port(0)).empty());
}
