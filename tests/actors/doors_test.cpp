// SPDX-License-Identifier: MIT
// The actors that stand for processes, the network and the disk may die like any other. What was
// asked of them then stays open, and nothing is launched on devices that may be held.
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

template <class Door>
void kill(simulated_pool& sim, const Door& door) {
  caf::anon_send_exit(door, caf::exit_reason::kill);
  sim.play({});
  CHECK(sim.log.count("actor_died") == 1);
}

void check_unconfirmed(simulated_pool& sim) {
  const auto left = sim.capacity();
  REQUIRE(left.unconfirmed.size() == 1);
  CHECK(left.unconfirmed[0].slot == "near-d0");
  CHECK(left.unconfirmed[0].detail.find("the commander ended") != std::string::npos);
}

}  // namespace

TEST_CASE("a launch whose commander dies may have happened: its slot stays reserved") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.after = 1h};
  const auto grown = sim.ask_grow();
  sim.play(1s);
  kill(sim, sim.fleet.commander);
  REQUIRE(grown.answered());
  CHECK(grown->outcome == grow_outcome::launch_failed);
  check_unconfirmed(sim);
}

TEST_CASE("a stop whose commander dies is not confirmed") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.load(9000);
  sim.commands->stops["near-d0"] = {.after = 1h};
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(1s);
  kill(sim, sim.fleet.commander);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::unconfirmed);
  check_unconfirmed(sim);
}

TEST_CASE("a launch that loads while its commander dies still has its end") {
  simulated_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 20s}});
  sim.grow();
  kill(sim, sim.fleet.commander);
  sim.play(20s);
  check_unconfirmed(sim);
}

TEST_CASE("a shutdown without a commander ends, with what it could not stop unconfirmed") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.load(9000);
  kill(sim, sim.fleet.commander);
  CHECK(sim.shut_down().answered());
  check_unconfirmed(sim);
}

TEST_CASE("without a prober nothing is launched, and no stop is confirmed") {
  simulated_pool sim({.replicas = 0, .near = 2, .launch = {.stop_grace = 10s}});
  sim.grow("near-d0");
  sim.load(9000);
  kill(sim, sim.fleet.prober);
  CHECK(sim.grow("near-d1").outcome == grow_outcome::launch_failed);
  CHECK(sim.commands->count("launch") == 1);
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(11s);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::unconfirmed);
}

TEST_CASE("a launch whose record is still out when the journal dies spawns nothing") {
  simulated_pool sim;
  sim.journal->after = 1h;
  const auto grown = sim.ask_grow("near-d0");
  sim.play(1s);
  kill(sim, sim.fleet.journal);
  REQUIRE(grown.answered());
  CHECK(grown->outcome == grow_outcome::launch_failed);
  CHECK(sim.commands->count("launch") == 0);
  CHECK(sim.capacity().free_slots.size() == 2);
}

TEST_CASE("an erasure that is still out when the journal dies holds up no DELETE and no shutdown") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.grow("near-d1");
  sim.journal->after = 1h;
  const auto shrunk = sim.ask_shrink("near-d0");
  const auto done = sim.shut_down();
  sim.play(1s);
  CHECK(!shrunk.answered());
  kill(sim, sim.fleet.journal);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::stopped);
  CHECK(done.answered());
}

TEST_CASE("the release of an undeclared slot is answered when the journal dies meanwhile") {
  fleet_shape shape{.replicas = 0, .near = 1};
  shape.recorded = {{.slot = "old-d7", .host = "old", .devices = {7}}};
  simulated_pool sim(shape);
  sim.journal->after = 1h;
  const auto ask = [&] {
    return sim.ask<release_answer>(sim.fleet.fronts[0], release_atom_v, std::string("old-d7"));
  };
  const auto first = ask();
  const auto second = ask();
  sim.play(1s);
  CHECK(!first.answered());
  kill(sim, sim.fleet.journal);
  for (const auto& each : {first, second}) {
    REQUIRE(each.answered());
    CHECK(each->outcome == release_outcome::released);
    CHECK(each->capacity.unconfirmed.empty());
  }
}

TEST_CASE("the log names the actor that died") {
  simulated_pool sim;
  caf::anon_send_exit(sim.fleet.journal, caf::exit_reason::kill);
  sim.play({});
  CHECK(sim.log.last().find("actor=journal ") == 0);
  caf::anon_send_exit(sim.fleet.commander, caf::exit_reason::kill);
  sim.play({});
  CHECK(sim.log.last().find("actor=commander ") == 0);
}
