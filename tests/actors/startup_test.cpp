// SPDX-License-Identifier: MIT
// "Static replicas are probed before the first request is answered."
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

constexpr auto good = probe_verdict::good;
constexpr auto bad = probe_verdict::bad;

// Both replicas answer this long after they are asked.
fleet_shape slow(std::chrono::nanoseconds first, std::chrono::nanoseconds second) {
  return {.probes = {{8001, {{.verdict = good, .after = first}}},
                     {8002, {{.verdict = good, .after = second}}}}};
}

}  // namespace

TEST_CASE("static replicas are probed before the first request is answered") {
  simulated_fleet sim(slow(100ms, 300ms));
  auto turn = sim.ask_route({.session = "s"});
  auto view = sim.ask<fleet_view>(sim.fleet.fronts[0], health_atom_v);
  sim.play(299ms);
  CHECK_FALSE(turn.answered());
  CHECK_FALSE(view.answered());
  sim.play(1ms);
  REQUIRE(turn.answered());
  CHECK(turn->found);
  REQUIRE(view.answered());
  CHECK(view->replicas[0].ready);
  CHECK(view->replicas[1].ready);
}

TEST_CASE("turns that waited for the first probes are spread like any others") {
  simulated_fleet sim(slow(100ms, 300ms));
  std::vector<asked<route_answer>> turns;
  for (int i = 0; i < 10; ++i)
    turns.push_back(sim.ask_route({.session = "s" + std::to_string(i)}));
  sim.play(1s);
  CHECK(sim.of(0).outstanding == 5);
  CHECK(sim.of(1).outstanding == 5);
}

TEST_CASE("a replica that is slow to answer its first probe does not hold up the others' turns") {
  simulated_fleet sim(slow(10ms, 1h));
  auto turn = sim.ask_route({.session = "s"});
  auto view = sim.ask<fleet_view>(sim.fleet.fronts[0], health_atom_v);
  sim.play(499ms);
  CHECK_FALSE(turn.answered());
  CHECK_FALSE(view.answered());
  sim.play(1ms);
  REQUIRE(turn.answered());
  CHECK(turn->where.replica == simulated_fleet::node(0));
  REQUIRE(view.answered());
  CHECK(view->replicas[1].now == phase::starting);
}

TEST_CASE("a turn that finds no replica waits on while one has never been probed") {
  simulated_fleet sim(slow(1h, 2s));
  auto turn = sim.ask_route({.session = "s"});
  sim.play(1999ms);
  CHECK_FALSE(turn.answered());
  CHECK(sim.health().rejected == 0);
  sim.play(1ms);
  REQUIRE(turn.answered());
  CHECK(turn->where.replica == simulated_fleet::node(1));
}

TEST_CASE("no turn waits longer than the connect timeout for the first probes") {
  simulated_fleet sim(slow(1h, 1h));
  auto turn = sim.ask_route({.session = "s"});
  sim.play(4999ms);
  CHECK_FALSE(turn.answered());
  sim.play(1ms);
  REQUIRE(turn.answered());
  CHECK(turn->why == no_route::no_replica);
  CHECK(sim.health().rejected == 1);
}

TEST_CASE("once every replica has been probed a turn without one is refused at once") {
  simulated_fleet sim({.probes = {{8001, {{bad}}}, {8002, {{bad}}}}});
  auto turn = sim.ask_route({.session = "s"});
  sim.run();
  REQUIRE(turn.answered());
  CHECK(turn->why == no_route::no_replica);
}

TEST_CASE("simultaneous first turns of one id share one pin even if they had to wait") {
  simulated_fleet sim(slow(100ms, 100ms));
  std::vector<asked<route_answer>> turns;
  for (int i = 0; i < 4; ++i)
    turns.push_back(sim.ask_route({.session = "s"}));
  sim.play(1s);
  for (const auto& x : turns)
    CHECK(x->where.replica == turns[0]->where.replica);
}

TEST_CASE("a fleet without static replicas answers at once") {
  simulated_fleet sim({.replicas = 0});
  CHECK(sim.begin("s").why == no_route::no_replica);
  CHECK(sim.health().replicas.empty());
}
