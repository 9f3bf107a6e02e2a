// SPDX-License-Identifier: MIT
// What the pool holds. Spec: "Capacity"; contract section 6.
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("the declared devices are the ceiling") {
  simulated_pool sim({.replicas = 0, .near = 1, .far = 4});
  CHECK(sim.capacity().ceiling == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(sim.grow().outcome == grow_outcome::accepted);
  CHECK(sim.grow().outcome == grow_outcome::pool_full);
  CHECK(sim.capacity().owned == 5);
}

TEST_CASE("max-replicas lowers the ceiling below the declared pool") {
  simulated_pool sim({.replicas = 0, .near = 3, .launch = {.ceiling = 1}});
  CHECK(sim.capacity().free_slots.size() == 3);
  CHECK(sim.grow().outcome == grow_outcome::accepted);
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::at_ceiling);
  CHECK(answer.capacity.ceiling == 1);
  CHECK(answer.capacity.free_slots.empty());
  CHECK(sim.grow("near-d2").outcome == grow_outcome::at_ceiling);
  sim.shrink("near-d0");
  CHECK(sim.grow("near-d2").outcome == grow_outcome::accepted);
}

TEST_CASE("a grow may ask for a slot by name") {
  simulated_pool sim;
  CHECK(sim.grow("near-d1").replica.name == "near-d1");
  CHECK(sim.grow("near-d1").outcome == grow_outcome::slot_not_free);
  CHECK(sim.grow("nowhere").outcome == grow_outcome::unknown_slot);
}

TEST_CASE("a fleet without hosts has an empty pool") {
  simulated_pool sim({.replicas = 1});
  CHECK(sim.grow().outcome == grow_outcome::pool_full);
  const auto all = sim.pool();
  CHECK(all.replicas.size() == 1);
  CHECK(all.capacity == capacity_view{});
}

TEST_CASE("a slot actor that dies is a defect: its devices may be held, the rest goes on") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.load(9000);
  auto shrunk = sim.ask<shrink_answer>(sim.fleet.supervisor, shrink_atom_v, std::string("near-d0"));
  sim.step();
  sim.step();
  const auto victims = sim.busy("slot");
  REQUIRE(victims.size() == 1);
  caf::anon_send_exit(victims[0], caf::exit_reason::kill);
  sim.commands->stops["near-d0"] = {.after = 1h};
  sim.play({});
  CHECK(sim.log.count("actor_died") == 1);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::unconfirmed);
  CHECK(sim.health().replicas.empty());
  CHECK(sim.grow("near-d1").outcome == grow_outcome::accepted);
  CHECK(sim.release("near-d0").outcome == release_outcome::released);
  sim.script->set(9000, probe_verdict::silent);
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("a replica actor of a launched replica that dies is replaced") {
  simulated_pool sim;
  sim.grow();
  sim.load(9000);
  caf::anon_send_exit(sim.script->probes.back().asker, caf::exit_reason::kill);
  sim.play({});
  CHECK(sim.log.count("actor_died") == 1);
  const auto before = sim.script->count(9000);
  sim.play(1s);
  CHECK(sim.script->count(9000) == before + 1);
  CHECK(sim.of(0).now == phase::ready);
}
