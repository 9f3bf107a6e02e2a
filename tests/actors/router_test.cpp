// SPDX-License-Identifier: MIT
// Where turns go, and the pins of their sessions: contract section 3 as a whole fleet sees it.
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

const auto node0 = simulated_fleet::node(0);
const auto node1 = simulated_fleet::node(1);

}  // namespace

TEST_CASE("least outstanding wins") {
  simulated_fleet sim({.replicas = 3});
  std::map<std::uint64_t, int> load;
  for (int i = 0; i < 30; ++i)
    ++load[sim.begin("s" + std::to_string(i)).where.replica.value];
  CHECK(load == std::map<std::uint64_t, int>{{1, 10}, {2, 10}, {3, 10}});
  for (int i = 0; i < 3; ++i)
    sim.finish(node1, "s" + std::to_string(3 * i + 1));
  for (int i = 0; i < 3; ++i)
    CHECK(sim.begin("t" + std::to_string(i)).where.replica == node1);
}

TEST_CASE("D20: new conversations one after another spread evenly over idle replicas") {
  simulated_fleet sim;
  std::map<std::string, std::uint64_t> home;
  std::map<std::uint64_t, int> load;
  for (int i = 0; i < 20; ++i) {
    const auto session = "s" + std::to_string(i);
    home[session] = sim.turn(session).replica.value;
    ++load[home[session]];
  }
  CHECK(load == std::map<std::uint64_t, int>{{1, 10}, {2, 10}});
  for (const auto& [session, where] : home) {
    const auto answer = sim.begin(session);
    CHECK(answer.where.replica.value == where);
    CHECK(answer.where.how == affinity::hit);
  }
}

TEST_CASE("a pinned routable replica is kept until it lags by more than the slack") {
  simulated_fleet sim({.settings = {.affinity_slack = 3}});
  const auto home = sim.turn("pinned").replica;
  for (int i = 0; i < 4; ++i) {
    const auto answer = sim.begin("pinned");
    CHECK(answer.where.replica == home);
    CHECK(answer.where.how == affinity::hit);
  }
  const auto moved = sim.begin("pinned");
  CHECK(moved.where.replica != home);
  CHECK(moved.where.how == affinity::moved_load);
  CHECK(sim.begin("pinned").where.replica == moved.where.replica);
}

TEST_CASE("slack 0 disables affinity: no pin is read or written") {
  simulated_fleet sim({.settings = {.affinity_slack = 0}});
  const auto first = sim.turn("s");
  const auto second = sim.turn("s");
  CHECK(first.how == affinity::none);
  CHECK(first.replica != second.replica);
  CHECK(sim.health().sessions == 0);
  CHECK(sim.health().affinity_hits == 0);
  CHECK(sim.health().routed == 2);
}

TEST_CASE("a pin ages from the end of its session's last turn") {
  simulated_fleet sim({.settings = {.session_ttl = 600s}});
  const auto home = sim.begin("s").where.replica;
  sim.play(1h);
  sim.finish(home, "s");
  sim.play(599s);
  CHECK(sim.health().sessions == 1);
  CHECK(sim.turn("s").how == affinity::hit);
  sim.play(600s);
  CHECK(sim.health().sessions == 0);
  CHECK(sim.turn("s").how == affinity::expired);
}

TEST_CASE("a pin with a turn in flight never expires") {
  simulated_fleet sim({.settings = {.session_ttl = 10s}});
  sim.begin("s");
  sim.play(2h);
  CHECK(sim.health().sessions == 1);
  CHECK(sim.begin("s").where.how == affinity::hit);
}

TEST_CASE("simultaneous first turns of one id share one pin") {
  simulated_fleet sim({.replicas = 4});
  std::vector<asked<route_answer>> answers;
  for (int i = 0; i < 6; ++i)
    answers.push_back(sim.ask_route({.session = "s"}));
  sim.run();
  for (const auto& x : answers) {
    REQUIRE(x.answered());
    CHECK(x->where.replica == answers[0]->where.replica);
    CHECK(x->where.how == (&x == &answers[0] ? affinity::fresh : affinity::hit));
  }
  CHECK(sim.health().sessions == 1);
}

TEST_CASE("simultaneous first turns beyond the slack go on to another replica together") {
  simulated_fleet sim({.settings = {.affinity_slack = 2}});
  std::map<std::uint64_t, int> load;
  std::vector<asked<route_answer>> answers;
  for (int i = 0; i < 8; ++i)
    answers.push_back(sim.ask_route({.session = "s"}));
  sim.run();
  for (const auto& x : answers)
    ++load[x->where.replica.value];
  CHECK(load == std::map<std::uint64_t, int>{{1, 3}, {2, 5}});
}

TEST_CASE("a minted id is pinned like any other") {
  simulated_fleet sim;
  const auto first = sim.route({.session = "minted", .fresh = true});
  CHECK(first.where.how == affinity::fresh);
  CHECK(sim.begin("minted").where.how == affinity::hit);
}

TEST_CASE("least recently used pins go first when --max-sessions is reached") {
  simulated_fleet sim({.settings = {.max_sessions = 3}});
  for (const auto* session : {"a", "b", "c", "a", "d"})
    sim.turn(session);
  CHECK(sim.health().sessions == 3);
  CHECK(sim.turn("a").how == affinity::hit);
  CHECK(sim.turn("c").how == affinity::hit);
  CHECK(sim.turn("b").how == affinity::fresh);
}

TEST_CASE("no more pins than --max-sessions are kept, however many ids come") {
  for (const std::size_t most : {5U, 1023U, 1025U}) {
    simulated_fleet sim({.settings = {.max_sessions = most}});
    for (std::size_t i = 0; i < 3 * most; ++i)
      sim.turn("session-" + std::to_string(i));
    CHECK(sim.health().sessions <= most);
    CHECK(sim.health().sessions > most / 2);
  }
}

TEST_CASE("affinity_hits counts turns that went to their pin, routed all routed") {
  simulated_fleet sim;
  sim.turn("a");
  sim.turn("a");
  sim.turn("b");
  sim.turn("a");
  const auto view = sim.health();
  CHECK(view.routed == 4);
  CHECK(view.affinity_hits == 2);
  CHECK(view.rejected == 0);
  CHECK(view.replicas[0].routed + view.replicas[1].routed == 4);
}

TEST_CASE("GET /v1/models is not counted as routed and makes no pin") {
  simulated_fleet sim;
  const auto answer = sim.route({.counted = false});
  CHECK(answer.found);
  CHECK(answer.where.how == affinity::none);
  CHECK(sim.health().replicas[0].outstanding + sim.health().replicas[1].outstanding == 1);
  sim.finish(answer.where.replica, "");
  CHECK(sim.health().routed == 0);
  CHECK(sim.health().sessions == 0);
}

TEST_CASE("rejected counts turns refused because no replica was routable") {
  simulated_fleet sim({.probes = {{8001, {{probe_verdict::bad}}}, {8002, {{probe_verdict::bad}}}}});
  const auto answer = sim.begin("s");
  CHECK_FALSE(answer.found);
  CHECK(answer.why == no_route::no_replica);
  CHECK_FALSE(sim.route({.counted = false}).found);
  CHECK(sim.health().rejected == 1);
  CHECK(sim.health().routed == 0);
  CHECK(sim.health().sessions == 0);
}

TEST_CASE("D68: turns without an id share nothing, and each fresh id has a pin of its own") {
  simulated_fleet sim;
  std::set<std::uint64_t> homes;
  for (int i = 0; i < 4; ++i) {
    const auto answer = sim.route(route_query{});
    homes.insert(answer.where.replica.value);
    sim.finish(answer.where.replica, "");
  }
  CHECK(homes.size() == 2);
  CHECK(sim.health().sessions == 0);
  for (int i = 0; i < 4; ++i)
    sim.route({.session = "fresh" + std::to_string(i), .fresh = true});
  CHECK(sim.health().sessions == 4);
}

TEST_CASE("draining a replica releases its pins at once and gives it no new turns") {
  simulated_fleet sim;
  const auto home = sim.turn("s").replica;
  auto drained = sim.ask<bool>(sim.fleet.router, quiesce_atom_v, home);
  sim.run();
  CHECK(drained.answered());
  CHECK(sim.health().sessions == 0);
  for (int i = 0; i < 4; ++i)
    CHECK(sim.turn("t" + std::to_string(i)).replica != home);
  CHECK(sim.turn("s").how == affinity::fresh);
  const auto view = sim.of(static_cast<int>(home.value) - 1);
  CHECK(view.now == phase::draining);
  CHECK(view.draining);
  CHECK(view.ready);
}

TEST_CASE("a replica that failed shows as that to its end, since it failed, also while it drains") {
  simulated_fleet sim({.replicas = 1});
  sim.finish(sim.begin("a").where.replica, "a", turn_outcome::connect_failed);
  sim.play(500ms);
  sim.ask<bool>(sim.fleet.router, quiesce_atom_v, simulated_fleet::node(0));
  sim.run();
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.of(0).draining);
  CHECK(sim.of(0).since == 500ms);
  sim.play(1s);  // it answers again
  CHECK(sim.of(0).now == phase::draining);
  CHECK(sim.of(0).since == 500ms);
}

TEST_CASE("draining is over when the last turn there has ended, whatever its health says") {
  simulated_fleet sim;
  const auto first = sim.begin("a").where.replica;
  sim.begin("b");
  sim.begin("a");
  auto drained = sim.ask<bool>(sim.fleet.router, quiesce_atom_v, first);
  auto drained_too = sim.ask<bool>(sim.fleet.router, quiesce_atom_v, first);
  sim.play(20s);
  sim.finish(first, "a");
  CHECK_FALSE(drained.answered());
  CHECK(sim.begin("c").where.replica != first);
  sim.finish(first, "a");
  CHECK(drained.answered());
  CHECK(drained_too.answered());
}

TEST_CASE("removing a replica releases its pins at once") {
  simulated_fleet sim;
  const auto home = sim.turn("s").replica;
  auto drained = sim.ask<bool>(sim.fleet.router, quiesce_atom_v, home);
  sim.begin("other");
  caf::anon_send(sim.fleet.router, leave_atom_v, home);
  sim.run();
  CHECK(drained.answered());
  CHECK(sim.health().replicas.size() == 1);
  CHECK(sim.turn("s").replica != home);
}

TEST_CASE("D26: a turn that ends on an instance that is gone is booked nowhere") {
  simulated_fleet sim;
  const auto old = sim.begin("s").where.replica;
  caf::anon_send(sim.fleet.router, leave_atom_v, old);
  const instance_id young{99};
  caf::anon_send(sim.fleet.router, join_atom_v, young, replica_spec{"node0", {"127.0.0.1", 8001}},
                 placement{.slot = "node0"}, lost_listener_actor(sim.fleet.supervisor));
  caf::anon_send(sim.fleet.router, phase_atom_v, phase_report{young, phase::ready, true, ""});
  sim.run();
  sim.finish(old, "s", turn_outcome::connect_failed);
  sim.finish(old, "s");
  const auto view = sim.health();
  REQUIRE(view.replicas.size() == 2);
  CHECK(view.replicas[1].instance == young);
  CHECK(view.replicas[1].now == phase::ready);
  for (const auto& r : view.replicas)
    CHECK(r.outstanding == 0);
  std::set<std::uint64_t> homes;
  for (int i = 0; i < 2; ++i)
    homes.insert(sim.begin("t" + std::to_string(i)).where.replica.value);
  CHECK(homes.size() == 2);
}

TEST_CASE("D26: a count never goes below zero, however often a turn is said to have ended") {
  simulated_fleet sim;
  const auto where = sim.begin("s").where.replica;
  for (int i = 0; i < 3; ++i)
    sim.finish(where, "s");
  CHECK(sim.health().replicas[0].outstanding == 0);
  CHECK(sim.health().replicas[1].outstanding == 0);
}

TEST_CASE("an instance is described by its name and address, one that is gone by port 0") {
  simulated_fleet sim;
  auto here = sim.ask<replica_spec>(sim.fleet.fronts[0], describe_atom_v, node1);
  auto gone = sim.ask<replica_spec>(sim.fleet.fronts[0], describe_atom_v, instance_id{77});
  sim.run();
  CHECK(here->name == "node1");
  CHECK(here->where.port == 8002);
  CHECK(gone->where.port == 0);
}

TEST_CASE("a shard that dies costs its sessions their pins and nothing else") {
  simulated_fleet sim;
  sim.turn("s");
  auto answer = sim.ask_route({.session = "s"});
  while (sim.busy("session_shard").empty())
    sim.step();
  for (const auto& shard : sim.busy("session_shard"))
    caf::anon_send(caf::actor_cast<caf::actor>(shard),
                   caf::exit_msg{shard->address(), caf::exit_reason::kill});
  sim.run();
  CHECK(sim.log.count("actor_died") == 1);
  REQUIRE(answer.answered());
  CHECK(answer->found);
  CHECK(sim.turn("s").how != affinity::none);
  CHECK(sim.turn("s").how == affinity::hit);
}
