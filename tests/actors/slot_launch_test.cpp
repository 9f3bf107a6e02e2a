// SPDX-License-Identifier: MIT
// How a slot gets a replica. Spec: "Launching Replicas", "Growing and shrinking at runtime".
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

launch_settings initially(std::size_t count) {
  return {.initial_replicas = count};
}

}  // namespace

TEST_CASE("initial replicas fill slots in config order, local machine first") {
  simulated_pool sim({.replicas = 0, .near = 1, .far = 4, .launch = initially(3)});
  sim.play({});
  CHECK(sim.commands->count("launch") == 3);
  CHECK(sim.commands->count("launch", "near-d0") == 1);
  CHECK(sim.commands->count("launch", "far-d0") == 1);
  CHECK(sim.commands->count("launch", "far-d1") == 1);
  CHECK(sim.capacity().free_slots == std::vector<std::string>{"far-d2", "far-d3"});
}

TEST_CASE("initial replicas are launched concurrently") {
  simulated_pool sim({.replicas = 0, .near = 3, .launch = initially(3)});
  sim.run();
  const auto& all = sim.commands->commands;
  REQUIRE(all.size() == 3);
  CHECK(all[0].at == all[2].at);
}

TEST_CASE("a launched replica is registered at once but not routable until it answers") {
  simulated_pool sim;
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::accepted);
  CHECK(answer.replica.name == "near-d0");
  CHECK(answer.replica.url == "http://127.0.0.1:9000");
  CHECK(answer.replica.owned);
  CHECK(answer.replica.now == phase::starting);
  const auto seen = sim.of(0);
  CHECK(seen.instance == answer.replica.instance);
  CHECK(seen.now == phase::starting);
  CHECK(seen.place == answer.replica.place);
  CHECK(sim.begin("s").why == no_route::no_replica);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.turn("s").replica == answer.replica.instance);
}

TEST_CASE("an owned replica shows its slot, devices, host and log, a static one none of it") {
  simulated_pool sim({.replicas = 1, .near = 1});
  sim.grow();
  const auto all = sim.pool().replicas;
  REQUIRE(all.size() == 2);
  CHECK(all[0].place == placement{});
  CHECK(all[1].place == placement{"near-d0", {0}, "near", "/tmp/pypto-serving-router/near-d0.log"});
}

TEST_CASE("a slot is reserved before anything is spawned, so no device is given twice") {
  simulated_pool sim;
  auto first = sim.ask_grow("near-d0");
  auto second = sim.ask_grow("near-d0");
  auto third = sim.ask_grow();
  auto fourth = sim.ask_grow();
  sim.play({});
  CHECK(first->outcome == grow_outcome::accepted);
  CHECK(second->outcome == grow_outcome::slot_not_free);
  CHECK(third->replica.name == "near-d1");
  CHECK(fourth->outcome == grow_outcome::pool_full);
  CHECK(sim.commands->count("launch") == 2);
}

TEST_CASE("every launch has an instance of its own, also on a slot used before") {
  simulated_pool sim;
  sim.grow("near-d0");
  const auto before = sim.commands->last("launch").instance;
  sim.shrink("near-d0");
  sim.grow("near-d0");
  CHECK(sim.commands->last("launch").instance != before);
}

TEST_CASE("something that already answers at the address is a failed launch, never signalled") {
  simulated_pool sim;
  for (const auto answers : {probe_verdict::good, probe_verdict::bad}) {
    sim.script->set(9000, answers);
    const auto answer = sim.grow("near-d0");
    CHECK(answer.outcome == grow_outcome::launch_failed);
    CHECK(answer.message.find("address_in_use") == 0);
    CHECK(answer.capacity.free_slots.size() == 2);
  }
  CHECK(sim.commands->commands.empty());
}

TEST_CASE("something that accepts connections and says nothing is in use as well") {
  simulated_pool sim;
  sim.script->set(9000, {{.verdict = probe_verdict::silent, .connected = true}});
  CHECK(sim.grow("near-d0").message.find("address_in_use") == 0);
  CHECK(sim.commands->commands.empty());
}

TEST_CASE("an address that can not be looked at is not launched on") {
  simulated_pool sim;
  sim.script->set(9000, probe_verdict::inconclusive);
  CHECK(sim.grow("near-d0").outcome == grow_outcome::launch_failed);
  CHECK(sim.commands->commands.empty());
}

TEST_CASE("a failed launch command frees the slot and its last output is the reason") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.started = false, .reason = "exit status 127: not found"};
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::launch_failed);
  CHECK(answer.message == "exit status 127: not found");
  CHECK(answer.capacity.free_slots.size() == 2);
  CHECK(sim.health().replicas.empty());
  CHECK(sim.commands->count("stop") == 0);
}

TEST_CASE("a failed launch command that may have started something frees the slot after a stop") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {
      .started = false, .reason = "ssh: exit status 255", .may_be_running = true};
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::launch_failed);
  CHECK(answer.message == "ssh: exit status 255");
  CHECK(sim.commands->count("stop", "near-d0") == 1);
  CHECK(answer.capacity.free_slots.size() == 2);
}

TEST_CASE("what may have started and can not be stopped keeps its slot reserved") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {
      .started = false, .reason = "no answer", .may_be_running = true};
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "no route"};
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::launch_failed);
  CHECK(answer.capacity.free_slots == std::vector<std::string>{"near-d1"});
  REQUIRE(answer.capacity.unconfirmed.size() == 1);
  CHECK(answer.capacity.unconfirmed[0].reason == "stop-unconfirmed");
  CHECK(answer.capacity.unconfirmed[0].detail == "no answer; no route");
}

TEST_CASE("a replica that is not ready within the launch timeout is stopped, its device released") {
  simulated_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 20s}});
  sim.grow();
  sim.play(19999ms);
  CHECK(sim.commands->count("stop") == 0);
  sim.play(1ms);
  CHECK(sim.commands->count("stop", "near-d0") == 1);
  CHECK(sim.health().replicas.empty());
  CHECK(sim.capacity().free_slots.size() == 1);
  CHECK(sim.log.count("launch_failed") == 1);
  sim.play(1h);
  CHECK(sim.commands->count("launch") == 1);
}

TEST_CASE("a launch that was not ready in time says the limit, the last probe and its log's end") {
  simulated_pool sim({.replicas = 0, .near = 1, .far = 1, .launch = {.launch_timeout = 20s}});
  sim.commands->inspections["near-d0"] = {
      .known = true, .alive = true, .log = "loading\n9 of 10\n"};
  sim.grow("near-d0");
  sim.play(20s);
  REQUIRE(sim.capacity().failed_launches.size() == 1);
  CHECK(sim.capacity().failed_launches[0].reason ==
        "not ready within 20 s; last probe: silent; its log ends: loading\n9 of 10");
}

TEST_CASE("a host that does not answer delays the end of a launch by five seconds at most") {
  simulated_pool sim({.replicas = 0, .far = 1, .launch = {.launch_timeout = 20s}});
  sim.commands->looks_answered = false;
  sim.grow();
  sim.play(24999ms);
  CHECK(sim.commands->count("stop") == 0);
  CHECK(sim.commands->count("inspect") == 1);
  sim.play(1ms);
  CHECK(sim.commands->count("stop", "far-d0") == 1);
  CHECK(sim.capacity().failed_launches[0].reason.find("not ready within 20 s") == 0);
}

TEST_CASE("a replica that becomes ready during the last look stays") {
  simulated_pool sim({.replicas = 0, .far = 1, .launch = {.launch_timeout = 22s}});
  sim.commands->looks_answered = false;
  sim.grow();
  sim.play(22s);
  sim.load(9100);
  sim.play(1min);
  CHECK(sim.commands->count("stop") == 0);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("the launch timeout counts from the launch command") {
  simulated_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 20s}});
  sim.commands->launches["near-d0"] = {.after = 15s};
  auto answer = sim.ask_grow();
  sim.play(15s);
  CHECK(answer.answered());
  sim.play(5s);
  CHECK(sim.commands->count("stop") == 1);
}

TEST_CASE("a replica that became ready is not touched by the launch timeout") {
  simulated_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 20s}});
  sim.grow();
  sim.load(9000);
  sim.play(1h);
  CHECK(sim.commands->count("stop") == 0);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("a process that exits non-zero before it is ready is a failed launch at once") {
  simulated_pool sim;
  sim.grow();
  sim.end_process("near-d0", sim.commands->last("launch").instance, {.code = 3}, "no such model");
  CHECK(sim.log.count("launch_failed") == 1);
  CHECK(sim.commands->count("stop", "near-d0") == 1);
  CHECK(sim.health().replicas.empty());
  CHECK(sim.capacity().free_slots.size() == 2);
}

TEST_CASE("why a launch came to nothing is shown until the next one on its slot") {
  simulated_pool sim({.replicas = 0, .near = 2, .launch = {.launch_timeout = 20s}});
  sim.grow("near-d0");
  sim.end_process("near-d0", sim.commands->last("launch").instance, {.code = 3}, "no such model");
  sim.grow("near-d1");
  sim.play(20s);
  const auto shown = sim.capacity().failed_launches;
  REQUIRE(shown.size() == 2);
  CHECK(shown[0] == failed_launch{"near-d0", "exit status 3; its log ends: no such model", 20s});
  CHECK(shown[1].slot == "near-d1");
  CHECK(shown[1].reason.find("not ready") == 0);
  sim.grow("near-d0");
  CHECK(sim.capacity().failed_launches.size() == 1);
  sim.load(9000);
  sim.shrink("near-d0");
  CHECK(sim.capacity().failed_launches.size() == 1);
}

TEST_CASE("a wrapper may exit well and leave the server running") {
  simulated_pool sim;
  sim.grow();
  sim.end_process("near-d0", sim.commands->last("launch").instance, {});
  CHECK(sim.commands->count("stop") == 0);
  CHECK(sim.of(0).now == phase::starting);
}

TEST_CASE("the exit of an older instance says nothing of the one that took over the name") {
  simulated_pool sim;
  sim.grow("near-d0");
  const auto old = sim.commands->last("launch").instance;
  sim.shrink("near-d0");
  sim.grow("near-d0");
  sim.end_process("near-d0", old, {.signal = 15});
  CHECK(sim.of(0).now == phase::starting);
  CHECK(sim.commands->count("stop") == 1);
}

TEST_CASE("a launch through ssh is looked at while it loads, and fails when it has ended badly") {
  simulated_pool sim({.replicas = 0, .far = 1});
  sim.grow();
  sim.play(12s);
  CHECK(sim.commands->count("inspect", "far-d0") == 2);
  sim.commands->inspections["far-d0"] = {.known = true, .ended = true, .how = {.code = 1}};
  sim.play(3s);
  CHECK(sim.commands->count("stop", "far-d0") == 1);
  CHECK(sim.capacity().free_slots.size() == 1);
}

TEST_CASE("a look that learns nothing changes nothing, and a ready replica is not looked at") {
  simulated_pool sim({.replicas = 0, .far = 1});
  sim.commands->inspections["far-d0"] = {.known = false, .ended = true, .how = {.code = 1}};
  sim.grow();
  sim.play(12s);
  CHECK(sim.commands->count("stop") == 0);
  sim.load(9100);
  const auto before = sim.commands->count("inspect");
  sim.play(1min);
  CHECK(sim.commands->count("inspect") == before);
}

TEST_CASE("a local launch is not polled: its end is reported") {
  simulated_pool sim;
  sim.grow();
  sim.play(1min);
  CHECK(sim.commands->count("inspect") == 0);
}
