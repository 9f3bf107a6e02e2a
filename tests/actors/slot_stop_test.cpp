// SPDX-License-Identifier: MIT
// The one way down. Spec: "Growing and shrinking at runtime"; contract section 7.
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

// One slot whose replica is ready.
struct serving_pool : simulated_pool {
  explicit serving_pool(fleet_shape s = {.replicas = 0, .near = 1}) : simulated_pool(s) {
    grow();
    load(9000);
  }
};

// Its stop goes through, and it stays.
struct stubborn_pool : serving_pool {
  stubborn_pool() : serving_pool({.replicas = 0, .near = 1, .launch = {.stop_grace = 10s}}) {
    commands->stops["near-d0"] = {.goes_silent = false};
  }
};

}  // namespace

TEST_CASE("a shrunk replica drains first and is stopped when its turns have ended") {
  serving_pool sim;
  const auto where = sim.begin("s").where.replica;
  const auto answer = sim.ask_shrink("near-d0");
  CHECK(sim.of(0).now == phase::draining);
  CHECK(sim.begin("t").why == no_route::no_replica);
  sim.play(1min);
  CHECK(sim.commands->count("stop") == 0);
  sim.finish(where, "s");
  sim.play({});
  REQUIRE(answer.answered());
  CHECK(answer->outcome == shrink_outcome::stopped);
  CHECK(answer->slot == "near-d0");
  CHECK(answer->capacity.free_slots.size() == 1);
  CHECK(sim.health().replicas.empty());
}

TEST_CASE("the drain timeout ends a drain whose turns do not end") {
  serving_pool sim({.replicas = 0, .near = 1, .launch = {.drain_timeout = 30s}});
  sim.begin("s");
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(29999ms);
  CHECK(sim.commands->count("stop") == 0);
  sim.play(1ms);
  CHECK(answer->outcome == shrink_outcome::stopped);
}

TEST_CASE("a drain releases the pins, which re-route on their next turn") {
  serving_pool sim({.replicas = 1, .near = 1, .launch = {}});
  const auto pinned_here = sim.turn("s").replica != simulated_fleet::node(0) ? "s" : "t";
  sim.turn("t");
  CHECK(sim.turn(pinned_here).how == affinity::hit);
  sim.shrink("near-d0");
  CHECK(sim.turn(pinned_here).how == affinity::fresh);
}

TEST_CASE("any HTTP answer counts as still there, 503 included, and the slot stays reserved") {
  for (const auto still : {probe_verdict::good, probe_verdict::bad}) {
    stubborn_pool sim;
    sim.script->set(9000, still);
    const auto answer = sim.ask_shrink("near-d0");
    sim.play(9s);
    CHECK_FALSE(answer.answered());
    sim.play(2s);
    REQUIRE(answer.answered());
    CHECK(answer->outcome == shrink_outcome::unconfirmed);
    CHECK(answer->slot == "near-d0");
    CHECK(answer->reason == "stop-unconfirmed");
    REQUIRE(answer->capacity.unconfirmed.size() == 1);
    CHECK(sim.health().replicas.empty());
    CHECK(sim.grow().outcome == grow_outcome::pool_full);
  }
}

TEST_CASE("an address that goes silent within the grace period confirms the stop") {
  stubborn_pool sim;
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(5s);
  sim.script->set(9000, probe_verdict::silent);
  sim.play(1s);
  REQUIRE(answer.answered());
  CHECK(answer->outcome == shrink_outcome::stopped);
}

TEST_CASE("what accepts connections and says nothing is still there when the grace period ends") {
  const std::vector<probe_step> mute = {{.verdict = probe_verdict::silent, .connected = true}};
  const std::vector<probe_step> hung = {{.after = 1h, .connected = true}};
  for (const auto& still : {mute, hung}) {
    stubborn_pool sim;
    sim.script->set(9000, still);
    const auto answer = sim.ask_shrink("near-d0");
    sim.play(9s);
    CHECK_FALSE(answer.answered());
    sim.play(10s);
    REQUIRE(answer.answered());
    CHECK(answer->outcome == shrink_outcome::unconfirmed);
    CHECK(answer->reason == "stop-unconfirmed");
    CHECK(answer->message == "127.0.0.1:9000: still accepts connections: silent");
    CHECK(sim.journal->held.at("near-d0").reason == "stop-unconfirmed");
    CHECK(sim.grow().outcome == grow_outcome::pool_full);
    CHECK(sim.commands->count("launch") == 1);
  }
}

TEST_CASE("what accepts no connection any more within the grace period is gone") {
  stubborn_pool sim;
  sim.script->set(9000, {{.verdict = probe_verdict::silent, .connected = true},
                         {.verdict = probe_verdict::inconclusive},
                         {.verdict = probe_verdict::silent, .connected = true},
                         {.verdict = probe_verdict::silent}});
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(1499ms);
  CHECK_FALSE(answer.answered());
  sim.play(1s);
  REQUIRE(answer.answered());
  CHECK(answer->outcome == shrink_outcome::stopped);
  CHECK(sim.journal->held.empty());
}

TEST_CASE("a probe that tells nothing confirms nothing") {
  stubborn_pool sim;
  sim.script->set(9000, probe_verdict::inconclusive);
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(11s);
  CHECK(answer->outcome == shrink_outcome::unconfirmed);
}

TEST_CASE("D50: a stop command that fails is no stop, although the address goes silent") {
  serving_pool sim({.replicas = 0, .near = 1});
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "ssh: exit status 255"};
  sim.script->set(9000, probe_verdict::silent);
  const auto answer = sim.shrink("near-d0");
  CHECK(answer.outcome == shrink_outcome::unconfirmed);
  CHECK(answer.message == "ssh: exit status 255");
  sim.play(1min);
  const auto left = sim.capacity();
  REQUIRE(left.unconfirmed.size() == 1);
  CHECK(left.unconfirmed[0].slot == "near-d0");
  CHECK(left.unconfirmed[0].reason == "stop-unconfirmed");
  CHECK(left.unconfirmed[0].since == 1min);
  CHECK(left.owned == 0);
  CHECK(sim.grow().outcome == grow_outcome::pool_full);
  CHECK(sim.grow("near-d0").outcome == grow_outcome::slot_not_free);
}

TEST_CASE("who asks to stop an unconfirmed one again gets the same answer") {
  serving_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "no"};
  sim.shrink("near-d0");
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unconfirmed);
  CHECK(sim.commands->count("stop") == 1);
}

TEST_CASE("an unconfirmed slot is freed by an operator's word and by nothing else") {
  serving_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "no"};
  CHECK(sim.release("near-d0").outcome == release_outcome::not_unconfirmed);
  CHECK(sim.release("nowhere").outcome == release_outcome::unknown);
  sim.shrink("near-d0");
  sim.play(24h);
  CHECK(sim.capacity().unconfirmed.size() == 1);
  const auto answer = sim.release("near-d0");
  CHECK(answer.outcome == release_outcome::released);
  CHECK(answer.capacity.free_slots.size() == 1);
  CHECK(answer.capacity.unconfirmed.empty());
  CHECK(sim.release("near-d0").outcome == release_outcome::not_unconfirmed);
  sim.script->set(9000, probe_verdict::silent);
  CHECK(sim.grow().outcome == grow_outcome::accepted);
}

TEST_CASE("D80: concurrent shrinks share one retirement and all get its answer") {
  serving_pool sim;
  sim.commands->stops["near-d0"] = {.after = 5s};
  const auto first = sim.ask_shrink("near-d0");
  const auto second = sim.ask_shrink("near-d0");
  sim.play(1s);
  const auto third = sim.ask_shrink("near-d0");
  sim.play(4s);
  CHECK(first->outcome == shrink_outcome::stopped);
  CHECK(*first == *second);
  CHECK(*first == *third);
  CHECK(sim.commands->count("stop") == 1);
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unknown);
  sim.grow();
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.commands->count("stop") == 1);
}

TEST_CASE("a shrink of a replica that is still loading stops it") {
  simulated_pool sim;
  sim.grow();
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::stopped);
  CHECK(sim.capacity().free_slots.size() == 2);
}

TEST_CASE("a shrink while the launch command is out waits for it and stops what it started") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.after = 5s};
  const auto grown = sim.ask_grow();
  sim.play(1s);
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(4s);
  CHECK(grown->outcome == grow_outcome::accepted);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::stopped);
  CHECK(sim.commands->last("stop").instance == sim.commands->last("launch").instance);
}

TEST_CASE("a replica whose process is dead already is retired without waiting") {
  serving_pool sim;
  sim.script->set(9000, probe_verdict::silent);
  sim.play(10s);
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::stopped);
}

TEST_CASE("a drain is logged when it begins and when it ends, with its time and what ended it") {
  struct row {
    std::chrono::seconds turn;
    std::string end;
  };
  for (const auto& [turn, end] : {row{0s, "after=0.0 ended=idle"}, row{7s, "after=7.0 ended=idle"},
                                  row{90s, "after=60.0 ended=timeout"}}) {
    CAPTURE(end);
    serving_pool sim({.replicas = 0, .near = 1, .launch = {.drain_timeout = 60s}});
    const auto where = sim.begin("s").where.replica;
    if (turn == 0s)
      sim.finish(where, "s");
    const auto answer = sim.ask_shrink("near-d0");
    sim.run();
    CHECK(sim.log.count("replica_draining") == 1);
    CHECK(sim.log.count("replica_drained") == (turn == 0s ? 1 : 0));
    sim.play(turn);
    sim.finish(where, "s");
    sim.play(1s);
    CHECK(sim.log.count("replica_drained") == 1);
    CHECK(sim.log.last("replica_drained") == "replica=near-d0 instance=i1 " + end);
  }
}

TEST_CASE("a launch is logged before its command; what never served has no drain to log") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.after = 5s};
  const auto grown = sim.ask_grow();
  sim.play(1s);
  CHECK(sim.log.count("replica_launching") == 1);
  CHECK(sim.log.count("replica_launched") == 0);
  sim.play(4s);
  CHECK(sim.log.count("replica_launched") == 1);
  sim.shrink("near-d0");
  CHECK(sim.log.count("replica_stopped") == 1);
  CHECK(sim.log.count("replica_draining") + sim.log.count("replica_drained") == 0);
}

TEST_CASE("static and unknown replicas are not stopped") {
  simulated_pool sim({.replicas = 1, .near = 1});
  CHECK(sim.shrink("node0").outcome == shrink_outcome::not_owned);
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unknown);
  CHECK(sim.shrink("nowhere").outcome == shrink_outcome::unknown);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.commands->commands.empty());
}
