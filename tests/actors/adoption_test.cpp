// SPDX-License-Identifier: MIT
// What becomes of replicas that an earlier router launched. Spec: "If the router restarts".
#include "support/restarted_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("a recorded replica whose /health is 200 is adopted, routable immediately") {
  restarted sim(left({near(0)}), probe_verdict::good);
  sim.play({});
  const auto seen = sim.of(0);
  CHECK(seen.name == "near-d0");
  CHECK(seen.now == phase::ready);
  CHECK(seen.owned);
  CHECK(sim.begin("s").found);
  CHECK(sim.commands->count("launch") == 0);
  CHECK(sim.capacity().owned == 1);
  CHECK(sim.capacity().free_slots == texts{"near-d1"});
  CHECK(sim.log.count("replica_adopted") == 1);
}

TEST_CASE("turns wait for the first look at what was recorded rather than hear 503") {
  restarted sim(left({near(0)}), probe_verdict::good);
  sim.script->set(9000, {{.verdict = probe_verdict::good, .after = 300ms}});
  auto turn = sim.ask_route({.session = "s"});
  sim.play(299ms);
  CHECK(!turn.answered());
  sim.play(1ms);
  CHECK(turn->found);
}

TEST_CASE("turns do not wait for records that nobody looks for") {
  simulated_pool sim(left({reserved(0, "stop-unconfirmed", 1h)}));
  auto turn = sim.ask_route({.session = "s"});
  sim.play({});
  CHECK(turn->why == no_route::no_replica);
}

TEST_CASE("one that answers anything else is adopted unroutable until a good probe") {
  restarted sim(left({near(0)}), probe_verdict::bad);
  sim.play({});
  CHECK(sim.of(0).now == phase::starting);
  CHECK(sim.begin("s").why == no_route::no_replica);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("one that never gets good is retired after the launch timeout counted from the start") {
  restarted sim(left({near(0)}), probe_verdict::bad);
  sim.play(59999ms);
  CHECK(sim.commands->count("stop") == 0);
  sim.play(1ms);
  CHECK(sim.commands->last("stop").instance == "old0");
  CHECK(sim.capacity().free_slots.size() == 2);
  CHECK(sim.journal->held.empty());
}

TEST_CASE("a local one that is not ours to wait for is looked at while it loads") {
  restarted sim(left({near(0)}), probe_verdict::bad);
  sim.play(12s);
  CHECK(sim.commands->count("inspect", "near-d0") == 2);
}

TEST_CASE("an adopted one of which no process is left while it loads has ended") {
  restarted sim(left({near(0)}), probe_verdict::bad);
  sim.commands->inspections["near-d0"] = {.known = true, .log = "out of memory\n"};
  sim.play(5s);
  CHECK(sim.commands->last("stop").instance == "old0");
  sim.play(1s);
  const auto all = sim.capacity().failed_launches;
  REQUIRE(all.size() == 1);
  CHECK(all[0].reason == "no process of it is left; its log ends: out of memory");
  CHECK(sim.journal->held.empty());
}

TEST_CASE("one that a look cannot see, or that left its server behind, may load on") {
  for (const auto& seen :
       {inspection{.reason = "no route"}, inspection{.known = true, .ended = true}}) {
    restarted sim(left({near(0)}), probe_verdict::bad);
    sim.commands->inspections["near-d0"] = seen;
    sim.play(30s);
    CHECK(sim.commands->count("stop") == 0);
  }
}

TEST_CASE("one that gives no answer is not adopted, and its slot stays reserved") {
  for (const auto nothing : {probe_verdict::silent, probe_verdict::inconclusive}) {
    restarted sim(left({near(0)}), nothing);
    sim.play(1h);
    CHECK(sim.health().replicas.empty());
    CHECK(reasons(sim.capacity()) == texts{"near-d0:unreachable-at-startup"});
    CHECK(sim.capacity().unconfirmed[0].since == 1h);
    CHECK(sim.grow("near-d0").outcome == grow_outcome::slot_not_free);
    CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unconfirmed);
    CHECK(sim.commands->commands.empty());
    CHECK(sim.journal->held.at("near-d0").reason == "unreachable-at-startup");
    CHECK(sim.journal->held.at("near-d0").process.process_group == 4711);
  }
}

TEST_CASE("the moment it answers it is adopted after all: it was still loading") {
  restarted sim(left({near(0)}), probe_verdict::silent);
  sim.play(20min);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.capacity().unconfirmed.empty());
  CHECK(sim.journal->held.at("near-d0").reason.empty());
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::stopped);
  CHECK(sim.commands->last("stop").instance == "old0");
  CHECK(sim.journal->held.empty());
}

TEST_CASE("an unreachable one is looked for again after the next restart, with its age") {
  restarted sim(left({reserved(0, "unreachable-at-startup", 1h)}), probe_verdict::silent);
  sim.play(1min);
  CHECK(sim.capacity().unconfirmed[0].since == 61min);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("one that was deleted while nobody could reach it is stopped the moment it answers") {
  restarted sim(left({near(0)}), probe_verdict::silent);
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(1s);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::unconfirmed);
  sim.script->set(9000, probe_verdict::good);
  sim.play(1min);
  CHECK(sim.commands->count("stop", "near-d0") == 1);
  CHECK(sim.capacity().free_slots == texts{"near-d0", "near-d1"});
}

TEST_CASE("until then only the operator's release frees it, and then it is looked for no more") {
  restarted sim(left({near(0)}), probe_verdict::silent);
  sim.play(1s);
  CHECK(sim.release("near-d0").outcome != release_outcome::not_unconfirmed);
  sim.play({});
  CHECK(sim.journal->held.empty());
  const auto before = sim.script->count(9000);
  sim.load(9000);
  sim.play(1min);
  CHECK(sim.script->count(9000) == before);
  CHECK(sim.capacity().free_slots.size() == 2);
}

TEST_CASE("a recorded reservation stays reserved, with its reason and its age") {
  restarted sim(left({reserved(0, "stop-unconfirmed", 2h)}), probe_verdict::good);
  sim.play(1min);
  const auto all = sim.capacity().unconfirmed;
  REQUIRE(all.size() == 1);
  CHECK(all[0].reason == "stop-unconfirmed");
  CHECK(all[0].detail == "as it was");
  CHECK(all[0].since == 121min);
  CHECK(sim.script->count(9000) == 0);
  CHECK(sim.journal->asked.empty());
  CHECK(sim.health().replicas.empty());
}

TEST_CASE("an adopted replica is drained, stopped and replaced like any other") {
  restarted sim(left({near(0)}), probe_verdict::good);
  sim.play({});
  const auto where = sim.begin("s").where.replica;
  auto answer = sim.ask_shrink("near-d0");
  sim.play(1s);
  CHECK(!answer.answered());
  sim.finish(where, "s");
  sim.play({});
  CHECK(answer->outcome == shrink_outcome::stopped);
  CHECK(sim.commands->last("stop").instance == "old0");
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("an adopted replica is stopped by an orderly shutdown") {
  restarted sim(left({near(0)}), probe_verdict::good);
  sim.play({});
  CHECK(sim.shut_down().answered());
  CHECK(sim.commands->last("stop").instance == "old0");
  CHECK(sim.journal->held.empty());
}

TEST_CASE("one that is looked for during a shutdown is adopted and stopped, or stays on record") {
  for (const auto answers : {probe_verdict::good, probe_verdict::silent}) {
    restarted sim(left({near(0)}, 2), answers);
    sim.script->set(9000, {{.verdict = answers, .after = 1s}});
    sim.play(500ms);
    const auto done = sim.shut_down();
    sim.script->set(9000, answers);
    sim.play(10s);
    CHECK(done.answered());
    CHECK(sim.commands->count("launch") == 0);
    const bool gone = answers == probe_verdict::good;
    CHECK(sim.commands->count("stop") == (gone ? 1 : 0));
    CHECK(sim.journal->held.size() == (gone ? 0 : 1));
  }
}

TEST_CASE("every recorded slot is taken back before any probe, launch or turn") {
  auto shape = left({near(1)}, 1);
  shape.probes[9001] = {};
  simulated_pool sim(shape);
  sim.script->set(9001, {{.verdict = probe_verdict::good, .after = 2s}});
  auto asked = sim.ask_grow("near-d1");
  sim.play(1s);
  CHECK(asked->outcome == grow_outcome::slot_not_free);
  CHECK(sim.commands->count("launch") == 0);
}

TEST_CASE("--initial-replicas then tops up to its number, counting adopted ones") {
  restarted sim(left({near(0)}, 2), probe_verdict::good);
  sim.play({});
  CHECK(sim.commands->count("launch") == 1);
  CHECK(sim.commands->count("launch", "near-d1") == 1);
  restarted enough(left({near(0)}, 1), probe_verdict::good);
  enough.play({});
  CHECK(enough.commands->count("launch") == 0);
}

TEST_CASE("the top-up never launches on what is unreachable") {
  restarted sim(left({near(0)}, 2), probe_verdict::silent);
  sim.play(1min);
  CHECK(sim.commands->count("launch") == 1);
  CHECK(sim.commands->count("launch", "near-d1") == 1);
}

TEST_CASE("unconfirmed slots count under the ceiling, and adopted ones above it are all kept") {
  auto shape = left({near(0)}, 1);
  shape.launch.ceiling = 1;
  restarted sim(shape, probe_verdict::silent);
  sim.play(1min);
  CHECK(sim.commands->count("launch") == 0);
  shape.recorded = {near(0), near(1)};
  restarted both(shape, probe_verdict::good);
  both.script->set(9001, probe_verdict::good);
  both.play({});
  CHECK(both.capacity().owned == 2);
  CHECK(both.commands->commands.empty());
}

TEST_CASE("a recorded slot that the file no longer declares is reported and kept in the record") {
  auto other = near(7);
  restarted sim(left({other}, 2), probe_verdict::silent);
  sim.play(1min);
  CHECK(reasons(sim.capacity()) == texts{"near-d7:no-longer-declared"});
  CHECK(sim.capacity().unconfirmed[0].since == 1min);
  CHECK(sim.capacity().unconfirmed[0].detail == "recorded with devices 7 of near, 127.0.0.1:9007");
  CHECK(sim.journal->held.at("near-d7") == other);
  CHECK(sim.script->count(9007) == 0);
  CHECK(sim.commands->count("launch") == 2);
  auto answer = sim.ask<release_answer>(sim.fleet.fronts[0], release_atom_v, other.slot);
  sim.play({});
  CHECK(answer->outcome == release_outcome::released);
  CHECK(answer->capacity.unconfirmed.empty());
  CHECK(!sim.journal->held.contains("near-d7"));
  CHECK(sim.release("near-d7").outcome == release_outcome::unknown);
}

TEST_CASE("a slot actor that dies while it looks for its replica leaves the slot reserved") {
  restarted sim(left({near(0)}, 2), probe_verdict::good);
  sim.script->set(9000, {{.verdict = probe_verdict::good, .after = 1s}});
  sim.play(500ms);
  caf::anon_send_exit(sim.script->probes.at(0).asker, caf::exit_reason::kill);
  sim.play(10s);
  CHECK(reasons(sim.capacity()) == texts{"near-d0:stop-unconfirmed"});
  CHECK(sim.commands->count("launch", "near-d1") == 1);
}
