// SPDX-License-Identifier: MIT
// An actor that dies is a defect, logged and made good; a replica that dies is not.
#include "support/simulated_fleet.hpp"

#include <caf/actor_cast.hpp>
#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

// The actor that probed this port last ends as if by an exception.
void break_replica_actor(simulated_fleet& sim, std::uint16_t port) {
  caf::strong_actor_ptr victim;
  for (const auto& probe : sim.script->probes) {
    if (probe.port == port)
      victim = probe.asker;
  }
  caf::anon_send_exit(victim, caf::exit_reason::kill);
  sim.run();
}

}  // namespace

TEST_CASE("a replica actor that died is logged and replaced, and goes on from what was known") {
  simulated_fleet sim;
  sim.turn("s");
  break_replica_actor(sim, 8001);
  CHECK(sim.log.count("actor_died") == 1);
  CHECK(sim.of(0).now == phase::ready);
  sim.script->set(8001, probe_verdict::bad);
  const auto before = sim.script->count(8001);
  sim.play(1s);
  CHECK(sim.script->count(8001) == before + 1);
  CHECK(sim.of(0).now == phase::ready);
  sim.play(5s);
  CHECK(sim.of(0).now == phase::failed);
}

TEST_CASE("a replica lost while its actor is being replaced returns with the next good probe") {
  simulated_fleet sim({.replicas = 1});
  const auto where = sim.begin("s").where.replica;
  break_replica_actor(sim, 8001);
  sim.finish(where, "s", turn_outcome::connect_failed);
  CHECK(sim.of(0).now == phase::failed);
  sim.play(1s);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("a replica process that dies is a phase, not a defect") {
  simulated_fleet sim({.probes = {{8001, {{probe_verdict::good}, {probe_verdict::silent}}}}});
  sim.play(1h);
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.log.errors() == 0);
  CHECK(sim.log.count("replica_phase") == 3);
}
