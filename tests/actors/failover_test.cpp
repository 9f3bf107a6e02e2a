// SPDX-License-Identifier: MIT
// Replicas that cannot be connected to: contract section 4, and "Readiness and Failover".
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

const auto node0 = simulated_fleet::node(0);

instance_id other(instance_id x) {
  return {3 - x.value};
}

int index(instance_id x) {
  return static_cast<int>(x.value) - 1;
}

std::uint16_t port(instance_id x) {
  return static_cast<std::uint16_t>(8000 + x.value);
}

}  // namespace

TEST_CASE("a replica that cannot be connected to leaves rotation at once") {
  simulated_fleet sim;
  const auto bad = sim.begin("s").where.replica;
  sim.script->set(port(bad), probe_verdict::silent);
  sim.finish(bad, "s", turn_outcome::connect_failed);
  CHECK(sim.of(index(bad)).now == phase::failed);
  CHECK(sim.of(index(bad)).reason == "connect_failed");
  for (int i = 0; i < 4; ++i)
    CHECK(sim.begin("t" + std::to_string(i)).where.replica == other(bad));
}

TEST_CASE("the next good probe returns it") {
  simulated_fleet sim;
  const auto bad = sim.begin("s").where.replica;
  sim.finish(bad, "s", turn_outcome::connect_failed);
  CHECK(sim.of(index(bad)).now == phase::failed);
  sim.play(1s);
  CHECK(sim.of(index(bad)).now == phase::ready);
  CHECK(sim.of(index(bad)).reason.empty());
}

TEST_CASE("a turn that could not connect goes to the next least loaded replica and re-pins there") {
  simulated_fleet sim({.replicas = 3});
  for (const auto* session : {"load0", "load1", "load2", "load3", "load4"})
    sim.begin(session);  // two on node0 and node1, one on node2
  const auto first = sim.begin("s").where.replica;
  CHECK(first == simulated_fleet::node(2));
  sim.finish(simulated_fleet::node(1), "load1");
  sim.finish(first, "s", turn_outcome::connect_failed);
  const auto second = sim.route({.session = "s", .tried = {first}});
  CHECK(second.found);
  CHECK(second.where.replica == simulated_fleet::node(1));
  CHECK(second.where.how == affinity::moved_gone);
  sim.finish(second.where.replica, "s");
  const auto third = sim.begin("s");
  CHECK(third.where.replica == second.where.replica);
  CHECK(third.where.how == affinity::hit);
}

TEST_CASE("a turn counts as routed once, however many replicas it tries") {
  simulated_fleet sim;
  const auto first = sim.begin("s").where.replica;
  sim.finish(first, "s", turn_outcome::connect_failed);
  sim.route({.session = "s", .tried = {first}});
  CHECK(sim.health().routed == 1);
  CHECK(sim.health().affinity_hits == 0);
}

TEST_CASE("a hit of a second try is counted, and taken back when that fails as well") {
  simulated_fleet sim({.replicas = 3});
  const auto pinned = sim.turn("s").replica;
  const auto tried = simulated_fleet::node(pinned == node0 ? 1 : 0);
  const auto second = sim.route({.session = "s", .tried = {tried}});
  CHECK(second.where.how == affinity::hit);
  CHECK(sim.health().affinity_hits == 1);
  turn_end end;
  end.replica = pinned;
  end.session = "s";
  end.how = turn_outcome::connect_failed;
  end.chosen = affinity::hit;
  caf::anon_send(sim.fleet.fronts[0], finished_atom_v, end);
  sim.run();
  CHECK(sim.health().affinity_hits == 0);
}

TEST_CASE("D52: when none is left the answer differs from no replica at all, and no pin stays") {
  simulated_fleet sim;
  std::vector<instance_id> tried;
  for (int i = 0; i < 2; ++i) {
    const auto answer = sim.route({.session = "s", .fresh = true, .tried = tried});
    REQUIRE(answer.found);
    tried.push_back(answer.where.replica);
    sim.finish(answer.where.replica, "s", turn_outcome::connect_failed);
  }
  const auto last = sim.route({.session = "s", .fresh = true, .tried = tried});
  CHECK_FALSE(last.found);
  CHECK(last.why == no_route::all_tried);
  CHECK(sim.health().rejected == 0);
  CHECK(sim.health().sessions == 0);
  const auto next = sim.begin("t");
  CHECK(next.why == no_route::no_replica);
  CHECK(sim.health().rejected == 1);
  CHECK(sim.health().sessions == 0);
}

TEST_CASE("D52: a turn that the router itself ended before any byte leaves no pin behind") {
  simulated_fleet sim;
  const auto where = sim.begin("s").where.replica;
  sim.finish(where, "s", turn_outcome::aborted);
  CHECK(sim.health().sessions == 0);
}

TEST_CASE("D18: a pin survives a replica that fails mid-stream, a client that leaves, a time-out") {
  for (const auto how :
       {turn_outcome::replica_failed, turn_outcome::client_gone, turn_outcome::timed_out}) {
    simulated_fleet sim;
    const auto where = sim.begin("s").where.replica;
    sim.finish(where, "s", how);
    CHECK(sim.of(index(where)).now == phase::ready);
    CHECK(sim.of(index(where)).outstanding == 0);
    CHECK(sim.turn("s").how == affinity::hit);
  }
}

TEST_CASE("an aborted turn does not cost an established conversation its pin") {
  simulated_fleet sim;
  const auto home = sim.turn("s").replica;
  sim.begin("s");
  sim.finish(home, "s", turn_outcome::aborted);
  CHECK(sim.turn("s").how == affinity::hit);
}

TEST_CASE("sessions pinned to an unroutable replica fall back to a live one and re-pin there") {
  simulated_fleet sim;
  const auto home = sim.turn("s").replica;
  sim.script->set(port(home), probe_verdict::bad);
  sim.play(10s);
  const auto moved = sim.turn("s");
  CHECK(moved.replica == other(home));
  CHECK(moved.how == affinity::moved_gone);
  sim.script->set(port(home), probe_verdict::good);
  sim.play(5s);
  CHECK(sim.of(index(home)).now == phase::ready);
  const auto stays = sim.turn("s");
  CHECK(stays.replica == other(home));
  CHECK(stays.how == affinity::hit);
}

TEST_CASE("turns of one session that fail over together share their new pin") {
  simulated_fleet sim({.replicas = 4});
  const auto first = sim.begin("s").where.replica;
  sim.begin("s");
  sim.finish(first, "s", turn_outcome::connect_failed);
  sim.finish(first, "s", turn_outcome::connect_failed);
  auto one = sim.ask_route({.session = "s", .tried = {first}});
  auto two = sim.ask_route({.session = "s", .tried = {first}});
  sim.run();
  CHECK(one->where.replica == two->where.replica);
  CHECK(one->where.replica != first);
}

TEST_CASE("the replica a turn could not connect to is asked again soon, not in a tight loop") {
  simulated_fleet sim({.replicas = 1, .settings = {.health_interval = 60s}});
  const auto where = sim.begin("s").where.replica;
  CHECK(where == node0);
  sim.play(10s);
  sim.script->set(8001, probe_verdict::silent);
  const auto before = sim.script->count(8001);
  for (int i = 0; i < 50; ++i) {
    // As from turns that all began while it was ready.
    caf::anon_send(sim.fleet.supervisor, lost_atom_v, node0, std::string("connection refused"));
    sim.play(10ms);
  }
  CHECK(sim.script->count(8001) == before);
  sim.play(500ms);
  CHECK(sim.script->count(8001) == before + 1);
  sim.play(59s);
  CHECK(sim.script->count(8001) == before + 1);
  sim.play(1s);
  CHECK(sim.script->count(8001) == before + 2);
}

TEST_CASE("a good probe that began before the replica was lost does not return it") {
  simulated_fleet sim({.replicas = 1, .settings = {.health_interval = 2s}});
  sim.run();
  sim.script->set(
      8001, {{.verdict = probe_verdict::good, .after = 500ms}, {.verdict = probe_verdict::silent}});
  sim.play(2100ms);
  CHECK(sim.script->under_way[8001] == 1);
  const auto where = sim.begin("s").where.replica;
  sim.finish(where, "s", turn_outcome::connect_failed);
  sim.play(500ms);
  CHECK(sim.script->under_way[8001] == 0);
  CHECK(sim.of(0).now == phase::failed);
  sim.play(10s);
  CHECK(sim.of(0).now == phase::failed);
}
