// SPDX-License-Identifier: MIT
// The actors that stand for processes and the network may die like any other. What was asked of
// them then stays open, and nothing is launched on devices that may be held.
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
