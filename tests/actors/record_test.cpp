// SPDX-License-Identifier: MIT
// What is on record, and when. Contract section 8; spec: "If the router restarts".
#include "support/simulated_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("the intent is on the disk before a process is spawned") {
  simulated_pool sim;
  sim.journal->after = 1s;
  auto answer = sim.ask_grow("near-d0");
  sim.play(999ms);
  CHECK(sim.commands->count("launch") == 0);
  CHECK(sim.capacity().free_slots == std::vector<std::string>{"near-d1"});
  sim.play(1ms);
  CHECK(sim.commands->count("launch", "near-d0") == 1);
  const auto& held = sim.journal->held.at("near-d0");
  CHECK(held.process.instance == sim.commands->last("launch").instance);
  CHECK(held.process.process_group == 0);
  CHECK(held.host == "near");
  CHECK(held.devices == std::vector<std::uint32_t>{0});
  CHECK(held.address == "127.0.0.1");
  CHECK(held.port == 9000);
  CHECK(held.reason.empty());
}

TEST_CASE("a launch that cannot be recorded is a failed launch and spawns nothing") {
  simulated_pool sim;
  sim.journal->failure = "s.json: No space left on device";
  const auto answer = sim.grow("near-d0");
  CHECK(answer.outcome == grow_outcome::launch_failed);
  CHECK(answer.message == "no record of it: s.json: No space left on device");
  CHECK(answer.capacity.free_slots.size() == 2);
  CHECK(sim.commands->commands.empty());
  sim.journal->failure.clear();
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("without a journal actor nothing is launched") {
  simulated_pool sim;
  caf::anon_send_exit(sim.fleet.journal, caf::exit_reason::kill);
  sim.run();
  CHECK(sim.grow("near-d0").outcome == grow_outcome::launch_failed);
  CHECK(sim.commands->commands.empty());
  CHECK(sim.log.count("actor_died") == 1);
}

TEST_CASE("the process group is recorded once it is known") {
  simulated_pool sim;
  sim.grow("near-d0");
  CHECK(sim.journal->held.at("near-d0").process.process_group == 7);
  CHECK(sim.journal->story("near-d0") == "record record");
}

TEST_CASE("a replica whose process group cannot be recorded goes on") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.after = 1s};
  auto answer = sim.ask_grow("near-d0");
  sim.play(500ms);
  sim.journal->failure = "disk";
  sim.play(500ms);
  CHECK(answer->outcome == grow_outcome::accepted);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.log.count("record_failed") == 1);
  CHECK(sim.journal->held.at("near-d0").process.process_group == 0);
}

TEST_CASE("a slot is free once the record of it is gone from the disk") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.journal->after = 1s;
  auto answer = sim.ask_shrink("near-d0");
  sim.play(999ms);
  CHECK(!answer.answered());
  CHECK(sim.capacity().free_slots == std::vector<std::string>{"near-d1"});
  sim.play(1ms);
  CHECK(answer->outcome == shrink_outcome::stopped);
  CHECK(sim.journal->held.empty());
  CHECK(sim.capacity().free_slots.size() == 2);
}

TEST_CASE("a record that cannot be erased frees the slot all the same: it only reserves") {
  simulated_pool sim;
  sim.grow("near-d0");
  sim.journal->failure = "disk";
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::stopped);
  CHECK(sim.capacity().free_slots.size() == 2);
  CHECK(sim.journal->held.contains("near-d0"));
  CHECK(sim.log.count("record_failed") == 1);
}

TEST_CASE("a launch command that failed leaves no record") {
  simulated_pool sim;
  sim.commands->launches["near-d0"] = {.started = false, .reason = "exit status 127"};
  sim.grow("near-d0");
  CHECK(sim.journal->held.empty());
  CHECK(sim.journal->story("near-d0") == "record erase");
}

TEST_CASE("an address in use is no reason to write anything") {
  simulated_pool sim;
  sim.script->set(9000, probe_verdict::good);
  sim.grow("near-d0");
  CHECK(sim.journal->asked.empty());
}

TEST_CASE("an unconfirmed stop is on the disk, with its reason, before anyone is told") {
  simulated_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "exit status 255"};
  sim.grow("near-d0");
  sim.journal->after = 1s;
  auto answer = sim.ask_shrink("near-d0");
  sim.play(999ms);
  CHECK(!answer.answered());
  sim.play(1ms);
  CHECK(answer->outcome == shrink_outcome::unconfirmed);
  const auto& held = sim.journal->held.at("near-d0");
  CHECK(held.reason == "stop-unconfirmed");
  CHECK(held.detail == "exit status 255");
  CHECK(held.process.process_group == 7);
}

TEST_CASE("an unconfirmed stop that cannot be recorded is unconfirmed all the same") {
  simulated_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false};
  sim.grow("near-d0");
  sim.journal->failure = "disk";
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unconfirmed);
  CHECK(sim.journal->held.at("near-d0").reason.empty());
}

TEST_CASE("a release takes the record away") {
  simulated_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false};
  sim.grow("near-d0");
  sim.shrink("near-d0");
  sim.journal->after = 1s;
  auto first = sim.ask<release_answer>(sim.fleet.fronts[0], release_atom_v, std::string("near-d0"));
  sim.play(500ms);
  auto second =
      sim.ask<release_answer>(sim.fleet.fronts[0], release_atom_v, std::string("near-d0"));
  CHECK(!first.answered());
  sim.play(2s);
  CHECK(first->outcome == release_outcome::released);
  CHECK(second->outcome == release_outcome::released);
  CHECK(sim.journal->held.empty());
  CHECK(sim.log.errors() == 0);
}

TEST_CASE("an orderly shutdown is over once no record of a replica is left") {
  simulated_pool sim({.replicas = 0, .near = 3, .launch = {.initial_replicas = 3}});
  sim.load(9000);
  sim.journal->after = 1s;
  const auto done = sim.shut_down();
  sim.play(999ms);
  CHECK(!done.answered());
  sim.play(1ms);
  CHECK(done.answered());
  CHECK(sim.journal->held.empty());
}

TEST_CASE("a launch that is unwanted by the time it is recorded is not begun") {
  simulated_pool sim;
  sim.journal->after = 1s;
  sim.ask_grow("near-d0");
  sim.play(500ms);
  const auto done = sim.shut_down();
  sim.play(2s);
  CHECK(done.answered());
  CHECK(sim.commands->commands.empty());
  CHECK(sim.journal->held.empty());
}

TEST_CASE("a launch that an operator calls off is answered and is not shown as failed") {
  simulated_pool sim;
  sim.journal->after = 1s;
  const auto grown = sim.ask_grow("near-d0");
  sim.play(500ms);
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(2s);
  REQUIRE(grown.answered());
  CHECK(grown->outcome == grow_outcome::launch_failed);
  CHECK(grown->message == "not wanted any more");
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::stopped);
  CHECK(shrunk->capacity.failed_launches.empty());
}
