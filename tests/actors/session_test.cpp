// SPDX-License-Identifier: MIT
// What the router tells of one conversation and of its replicas' answers.
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

session_view look(simulated_fleet& sim, std::string session) {
  auto answer = sim.ask<session_view>(sim.fleet.fronts[0], session_atom_v, std::move(session));
  sim.run();
  return *answer;
}

std::string name_of(instance_id where) {
  return "node" + std::to_string(where.value - 1);
}

void end_turn(simulated_fleet& sim, instance_id where,
              std::optional<std::chrono::nanoseconds> first) {
  caf::anon_send(sim.fleet.fronts[0], finished_atom_v,
                 turn_end{.replica = where, .how = turn_outcome::done, .first_byte = first});
  sim.run();
}

}  // namespace

TEST_CASE("a session is told with its replica, age, turns and the outcome of its last turn") {
  simulated_fleet sim;
  CHECK(look(sim, "s") == session_view{});
  const auto home = sim.turn("s").replica;
  sim.play(20s);
  sim.begin("s");
  const auto seen = look(sim, "s");
  CHECK(seen.replica == name_of(home));
  CHECK(seen.pin.where == home);
  CHECK(seen.pin.age == 20s);
  CHECK(seen.pin.turns == 2);
  CHECK(seen.pin.in_flight == 1);
  CHECK(seen.pin.last == affinity::hit);
  CHECK(seen.pin.moved == affinity::none);
  CHECK(seen.from.empty());
}

TEST_CASE("a session that moved for load tells from where") {
  simulated_fleet sim({.settings = {.affinity_slack = 1}});
  const auto home = sim.turn("s").replica;
  sim.begin("s");
  sim.begin("s");
  const auto moved = sim.begin("s").where;
  REQUIRE(moved.how == affinity::moved_load);
  const auto seen = look(sim, "s");
  CHECK(seen.replica == name_of(moved.replica));
  CHECK(seen.pin.last == affinity::moved_load);
  CHECK(seen.pin.moved == affinity::moved_load);
  CHECK(seen.from == name_of(home));
}

TEST_CASE("a session that moved because its replica was lost tells from where") {
  simulated_fleet sim;
  const auto home = sim.turn("s").replica;
  sim.script->set(static_cast<std::uint16_t>(8000 + home.value), probe_verdict::silent);
  sim.play(10s);
  const auto moved = sim.turn("s").replica;
  REQUIRE(moved != home);
  sim.play(30s);
  CHECK(sim.turn("s").how == affinity::hit);
  const auto seen = look(sim, "s");
  CHECK(seen.replica == name_of(moved));
  CHECK(seen.pin.last == affinity::hit);
  CHECK(seen.pin.moved == affinity::moved_gone);
  CHECK(seen.pin.moved_age == 30s);
  CHECK(seen.from == name_of(home));
}

TEST_CASE("a first turn that could not connect and went on tells which replica it tried") {
  simulated_fleet sim;
  const auto first = sim.begin("s").where.replica;
  sim.finish(first, "s", turn_outcome::connect_failed);
  const auto second = sim.route({.session = "s", .tried = {first}}).where.replica;
  const auto seen = look(sim, "s");
  CHECK(seen.replica == name_of(second));
  CHECK(seen.pin.turns == 1);
  CHECK(seen.from == name_of(first));
}

TEST_CASE("the replica a session moved from keeps its name after it has left the fleet") {
  simulated_fleet sim({.replicas = 1, .near = 1, .launch = {.initial_replicas = 1}});
  sim.play(1s);
  sim.script->set(9000, probe_verdict::good);
  sim.play(10s);
  REQUIRE(sim.health().replicas.size() == 2);
  const std::string session = sim.turn("s").replica != simulated_fleet::node(0) ? "s" : "t";
  sim.turn("t");
  sim.script->set(9000, probe_verdict::silent);
  sim.play(10s);
  REQUIRE(sim.turn(session).how == affinity::moved_gone);
  auto gone = sim.ask<shrink_answer>(sim.fleet.fronts[0], shrink_atom_v, std::string("near-d0"));
  sim.play(60s);
  REQUIRE(gone->outcome == shrink_outcome::stopped);
  CHECK(sim.health().replicas.size() == 1);
  CHECK(look(sim, session).replica == "node0");
  CHECK(look(sim, session).from == "near-d0");
}

TEST_CASE("without a pin there is nothing to tell: released, expired, or affinity off") {
  simulated_fleet sim;
  sim.turn("s");
  sim.play(601s);
  CHECK(look(sim, "s") == session_view{});
  simulated_fleet off({.settings = {.affinity_slack = 0}});
  off.turn("s");
  CHECK(look(off, "s") == session_view{});
}

TEST_CASE("a replica's answers are counted with the time to their first bytes") {
  simulated_fleet sim({.replicas = 1});
  for (const auto first :
       {std::optional(30ms), std::optional(12ms), std::optional<std::chrono::milliseconds>()}) {
    const auto where = sim.route({.counted = false}).where.replica;
    end_turn(sim, where, first);
  }
  CHECK(sim.of(0).answers == 2);
  CHECK(sim.of(0).first_byte_sum == 42ms);
}

TEST_CASE("the table for GET /slots has the totals as well") {
  simulated_fleet sim;
  sim.turn("s");
  sim.turn("s");
  sim.turn("t");
  auto pool = sim.ask<pool_view>(sim.fleet.fronts[0], fleet_atom_v);
  sim.run();
  const fleet_totals all{.sessions = 2, .routed = 3, .affinity_hits = 1, .rejected = 0};
  CHECK(pool->totals == all);
}

TEST_CASE("a turn whose session's pin has expired says so, and pins the session anew") {
  simulated_fleet sim({.settings = {.session_ttl = 60s}});
  CHECK(sim.turn("s").how == affinity::fresh);
  sim.play(100s);
  CHECK(sim.begin("s").where.how == affinity::expired);
  CHECK(look(sim, "s").pin.last == affinity::expired);
  CHECK(sim.begin("s").where.how == affinity::hit);
  CHECK(sim.turn("other").how == affinity::fresh);
}

TEST_CASE("of turns that come together after their session's pin expired only the first says so") {
  simulated_fleet sim({.settings = {.session_ttl = 60s}});
  sim.turn("s");
  sim.play(100s);
  auto first = sim.ask_route({.session = "s"});
  auto second = sim.ask_route({.session = "s"});
  sim.run();
  CHECK(first->where.how == affinity::expired);
  CHECK(second->where.how == affinity::hit);
}

TEST_CASE("the table tells the pins that ended, by what ended them") {
  simulated_fleet sim({.settings = {.session_ttl = 60s, .max_sessions = 3}});
  for (const auto* session : {"a", "b", "c", "d"})
    sim.turn(session);
  CHECK(sim.health().ended == pin_ends{.evicted = 1});
  sim.play(100s);
  CHECK(sim.health().ended == pin_ends{.expired = 3, .evicted = 1});
}
