// SPDX-License-Identifier: MIT
// How a fleet ends: no new turns, those in flight finish, nobody is left without an answer.
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

asked<bool> shut_down(simulated_fleet& sim) {
  auto done = sim.ask<bool>(sim.fleet.supervisor, shutdown_atom_v);
  sim.run();
  return done;
}

}  // namespace

TEST_CASE("a shutdown takes no new turns and is done when those in flight have ended") {
  simulated_fleet sim;
  const auto where = sim.begin("s").where.replica;
  const auto done = shut_down(sim);
  const auto again = shut_down(sim);
  CHECK_FALSE(done.answered());
  const auto refused = sim.begin("t");
  CHECK_FALSE(refused.found);
  CHECK(refused.why == no_route::shutting_down);
  CHECK(sim.health().rejected == 0);
  sim.finish(where, "s");
  CHECK(done.answered());
  CHECK(again.answered());
}

TEST_CASE("a shutdown with nothing in flight is done at once") {
  simulated_fleet sim;
  sim.turn("s");
  CHECK(shut_down(sim).answered());
}

TEST_CASE("a turn in flight at shutdown may still fail over") {
  simulated_fleet sim;
  const auto first = sim.begin("s").where.replica;
  sim.begin("t");
  const auto done = shut_down(sim);
  sim.finish(first, "s", turn_outcome::connect_failed);
  const auto second = sim.route({.session = "s", .tried = {first}});
  CHECK(second.found);
  sim.finish(second.where.replica, "s");
  CHECK_FALSE(done.answered());
  sim.finish(second.where.replica, "t");
  CHECK(done.answered());
  CHECK(sim.route({.session = "s", .tried = {first}}).why == no_route::shutting_down);
}

TEST_CASE("a turn on an instance that left is still one a shutdown waits for") {
  simulated_fleet sim;
  const auto where = sim.begin("s").where.replica;
  caf::anon_send(sim.fleet.router, leave_atom_v, where);
  const auto done = shut_down(sim);
  CHECK_FALSE(done.answered());
  sim.finish(where, "s");
  CHECK(done.answered());
}

TEST_CASE("turns that wait for a replica hear of a shutdown, and so does GET /health") {
  simulated_fleet sim({.replicas = 1, .probes = {{8001, {{.after = 1h}}}}});
  auto turn = sim.ask_route({.session = "s"});
  auto view = sim.ask<fleet_view>(sim.fleet.fronts[0], health_atom_v);
  sim.run();
  CHECK_FALSE(turn.answered());
  CHECK(shut_down(sim).answered());
  REQUIRE(turn.answered());
  CHECK(turn->why == no_route::shutting_down);
  CHECK(view.answered());
}

TEST_CASE("no question is left without an answer when the actors end") {
  simulated_fleet sim({.replicas = 1, .probes = {{8001, {{.after = 300ms}}}}});
  auto waiting = sim.ask_route({.session = "s"});
  sim.run();
  CHECK_FALSE(waiting.answered());
  stop_fleet(sim.fleet);
  sim.run();
  REQUIRE(waiting.answered());
  CHECK(waiting->why == no_route::shutting_down);
  CHECK(sim.log.errors() == 0);
}

TEST_CASE("a drain and a shutdown under way are answered when the actors end") {
  simulated_fleet sim;
  const auto where = sim.begin("s").where.replica;
  auto drained = sim.ask<bool>(sim.fleet.router, quiesce_atom_v, where);
  auto done = shut_down(sim);
  stop_fleet(sim.fleet);
  sim.run();
  CHECK(drained.answered());
  CHECK(done.answered());
}
