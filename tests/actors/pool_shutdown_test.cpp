// SPDX-License-Identifier: MIT
// An orderly shutdown drains and stops every replica the router launched. Contract section 8.
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("a shutdown stops every launched replica and leaves static ones alone") {
  simulated_pool sim({.replicas = 1, .near = 2});
  sim.grow();
  sim.grow();
  sim.load(9000);
  CHECK(sim.shut_down().answered());
  CHECK(sim.commands->count("stop") == 2);
  const auto left = sim.health().replicas;
  REQUIRE(left.size() == 1);
  CHECK_FALSE(left[0].owned);
  CHECK(left[0].ready);
}

TEST_CASE("D78: a shutdown stops what is ready, loading, launching and draining, concurrently") {
  simulated_pool sim({.replicas = 0, .near = 5});
  for (const auto* x : {"near-d0", "near-d1", "near-d2"})
    sim.grow(x);
  sim.load(9000);
  sim.load(9002);
  const auto turn = sim.begin("s").where.replica;
  const std::string busy = sim.of(0).outstanding == 1 ? "near-d0" : "near-d2";
  const auto draining = sim.ask_shrink(busy);
  sim.commands->launches["near-d3"] = {.after = 10s};
  const auto launching = sim.ask_grow("near-d3");
  sim.script->set(9004, {{.verdict = probe_verdict::silent, .after = 4s}});
  const auto reserved = sim.ask_grow("near-d4");
  sim.play({});
  const auto done = sim.shut_down();
  CHECK(sim.commands->count("stop") == 2);
  sim.play(4s);
  REQUIRE(reserved.answered());
  CHECK(reserved->outcome == grow_outcome::launch_failed);
  sim.play(6s);
  CHECK(launching.answered());
  CHECK(sim.commands->count("stop", "near-d3") == 1);
  CHECK_FALSE(done.answered());
  sim.finish(turn, "s");
  sim.play({});
  CHECK(done.answered());
  CHECK(draining->outcome == shrink_outcome::stopped);
  CHECK(sim.commands->count("launch") == 4);
  CHECK(sim.commands->count("stop") == 4);
  CHECK(sim.health().replicas.empty());
}

TEST_CASE("no launch begins after the signal") {
  simulated_pool sim;
  sim.shut_down();
  CHECK(sim.grow().outcome == grow_outcome::shutting_down);
  CHECK(sim.commands->commands.empty());
}

TEST_CASE("a shutdown waits for in-flight turns no longer than the drain timeout") {
  simulated_pool sim({.replicas = 1, .near = 1, .launch = {.drain_timeout = 30s}});
  sim.grow();
  sim.begin("s");
  const auto done = sim.shut_down();
  CHECK(sim.commands->count("stop") == 1);
  sim.play(29999ms);
  CHECK_FALSE(done.answered());
  sim.play(1ms);
  CHECK(done.answered());
}

TEST_CASE("a second signal skips the drain and still stops what was launched") {
  simulated_pool sim({.replicas = 0, .near = 1});
  sim.grow();
  sim.load(9000);
  sim.begin("s");
  const auto first = sim.shut_down();
  CHECK(sim.commands->count("stop") == 0);
  CHECK_FALSE(first.answered());
  const auto second = sim.shut_down_now();
  CHECK(sim.commands->count("stop") == 1);
  CHECK(first.answered());
  CHECK(second.answered());
  CHECK(sim.health().replicas.empty());
}

TEST_CASE("a second signal while a launch is out ends the drain that is yet to come") {
  simulated_pool sim({.replicas = 0, .near = 1});
  sim.commands->launches["near-d0"] = {.after = 10s};
  sim.ask_grow();
  sim.play({});
  const auto done = sim.shut_down_now();
  CHECK_FALSE(done.answered());
  sim.play(10s);
  CHECK(done.answered());
  CHECK(sim.commands->count("stop") == 1);
}

TEST_CASE("a stop that can not be confirmed at shutdown is logged and holds up nothing") {
  simulated_pool sim({.replicas = 0, .near = 1});
  sim.grow();
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "no"};
  CHECK(sim.shut_down().answered());
  CHECK(sim.log.count("stop_unconfirmed") == 1);
}

TEST_CASE("nobody is left without an answer when the actors end") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.after = 10s};
  const auto grown = sim.ask_grow();
  sim.play({});
  const auto shrunk = sim.ask_shrink("near-d0");
  const auto done = sim.shut_down();
  stop_fleet(sim.fleet);
  sim.run();
  CHECK(grown->outcome == grow_outcome::shutting_down);
  CHECK(shrunk->outcome == shrink_outcome::shutting_down);
  CHECK(done.answered());
  CHECK(sim.log.errors() == 0);
}
