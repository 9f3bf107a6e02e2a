// SPDX-License-Identifier: MIT
// What operators and a shutdown may want of a slot whose replica is being replaced.
#include "support/dying_pool.hpp"

#include <caf/send.hpp>
#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("D90: a grow during the wait launches at once and cancels the wait") {
  for (const std::string wanted : {"", "near-d0"}) {
    CAPTURE(wanted);
    dying_pool sim;
    sim.die_and_wait();
    sim.play(1s);
    sim.next_one_is_ready();
    const auto answer = sim.grow(wanted);
    CHECK(answer.outcome == grow_outcome::accepted);
    CHECK(answer.replica.name == "near-d0");
    CHECK(sim.launches() == 2);
    CHECK(sim.of(0).now == phase::ready);
    CHECK(sim.health().replicas.size() == 1);
    CHECK(sim.capacity().replacing.empty());
    CHECK(sim.log.count("replacement_cancelled") == 1);
    sim.play(1h);
    CHECK(sim.launches() == 2);
  }
}

TEST_CASE("D90: a shrink during the wait cancels it, and nothing starts afterwards") {
  dying_pool sim;
  sim.die_and_wait();
  sim.play(1s);
  const auto answer = sim.shrink("near-d0");
  CHECK(answer.outcome == shrink_outcome::stopped);
  CHECK(answer.slot == "near-d0");
  CHECK(answer.capacity.free_slots.size() == 1);
  CHECK(answer.capacity.replacing.empty());
  CHECK(answer.capacity.owned == 0);
  CHECK(sim.health().replicas.empty());
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unknown);
  sim.play(1h);
  CHECK(sim.launches() == 1);
  CHECK(sim.stops() == 1);
}

TEST_CASE("D90: after an operator's grow or shrink in a wait, a lone later death waits 10 s only") {
  dying_pool sim;
  sim.die_and_wait();
  sim.come_back(1);
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).retry_in == 20s);
  sim.next_one_is_ready();
  sim.grow();
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).retry_in == 10s);
  sim.shrink("near-d0");
  sim.next_one_is_ready();
  sim.grow();
  sim.play(2min);
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).attempt == 1);
  CHECK(sim.capacity().replacing.at(0).retry_in == 10s);
}

TEST_CASE("a grow during the wait is a first launch: when it fails the slot is free") {
  dying_pool sim;
  sim.die_and_wait();
  sim.commands->launches["near-d0"] = {.started = false, .reason = "no such file"};
  const auto answer = sim.grow();
  CHECK(answer.outcome == grow_outcome::launch_failed);
  CHECK(answer.message == "no such file");
  CHECK(answer.capacity.free_slots.size() == 1);
  CHECK(sim.health().replicas.empty());
  sim.play(1h);
  CHECK(sim.launches() == 2);
}

TEST_CASE("a grow uses an abandoned slot when no other is free, and that clears it") {
  dying_pool sim({.replicas = 0, .near = 2});
  sim.lose_three();
  REQUIRE(sim.capacity().abandoned.size() == 1);
  CHECK(sim.capacity().free_slots == std::vector<std::string>{"near-d1", "near-d0"});
  CHECK(sim.grow().replica.name == "near-d1");
  sim.next_one_is_ready();
  CHECK(sim.grow().replica.name == "near-d0");
  CHECK(sim.capacity().abandoned.empty());
  CHECK(sim.shrink("near-d1").outcome == shrink_outcome::stopped);
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).attempt == 1);
}

TEST_CASE("an abandoned slot may be asked for by name, and holds no replica to stop") {
  dying_pool sim({.replicas = 0, .near = 2});
  sim.lose_three();
  CHECK(sim.shrink("near-d0").outcome == shrink_outcome::unknown);
  CHECK(sim.capacity().abandoned.size() == 1);
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("a slot that waits counts against the ceiling, and a grow there uses it") {
  dying_pool sim({.replicas = 0, .near = 2, .launch = {.ceiling = 1}});
  sim.die_and_wait();
  CHECK(sim.capacity().free_slots.empty());
  CHECK(sim.capacity().owned == 1);
  CHECK(sim.grow("near-d1").outcome == grow_outcome::at_ceiling);
  CHECK(sim.grow().replica.name == "near-d0");
}

TEST_CASE("with a slot free, a grow leaves the one that waits alone") {
  dying_pool sim({.replicas = 0, .near = 2});
  sim.die_and_wait();
  CHECK(sim.grow().replica.name == "near-d1");
  sim.come_back(1);
  CHECK(sim.launches() == 2);
}

TEST_CASE("a shrink that meets the retirement of a dead one shares it, and nothing follows") {
  dying_pool sim;
  sim.commands->stops["near-d0"] = {.after = 5s};
  sim.die();
  sim.play(31s);
  CHECK(sim.stops() == 1);
  const auto first = sim.ask_shrink("near-d0");
  const auto second = sim.ask_shrink("near-d0");
  CHECK(sim.capacity().replacing.empty());
  sim.play(4s);
  REQUIRE(first.answered());
  CHECK(first->outcome == shrink_outcome::stopped);
  CHECK(*first == *second);
  CHECK(sim.stops() == 1);
  CHECK(sim.health().replicas.empty());
  sim.play(1h);
  CHECK(sim.launches() == 1);
}

TEST_CASE("a shrink before replace-after retires the dead one, and nothing follows") {
  dying_pool sim({.replicas = 0, .near = 1, .launch = {.drain_timeout = 60s}});
  sim.begin("stuck");
  sim.die();
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(60s);
  CHECK(answer->outcome == shrink_outcome::stopped);
  sim.play(1h);
  CHECK(sim.launches() == 1);
  CHECK(sim.stops() == 1);
}

TEST_CASE("a shrink of a replacement on its way up stops it, and nothing follows") {
  dying_pool sim;
  sim.die_and_wait();
  sim.commands->launches["near-d0"] = {.after = 5s};
  sim.play(11s);
  const auto answer = sim.ask_shrink("near-d0");
  sim.play(5s);
  REQUIRE(answer.answered());
  CHECK(answer->outcome == shrink_outcome::stopped);
  CHECK(sim.health().replicas.empty());
  sim.play(1h);
  CHECK(sim.launches() == 2);
  CHECK(sim.capacity().replacing.empty());
}

TEST_CASE("D78: a shutdown cancels a wait, and no launch begins after the signal") {
  dying_pool sim;
  sim.die_and_wait();
  CHECK(sim.shut_down().answered());
  CHECK(sim.capacity().replacing.empty());
  sim.play(1h);
  CHECK(sim.launches() == 1);
}

TEST_CASE("D78: a shutdown during the retirement of a dead one awaits it, and nothing follows") {
  dying_pool sim;
  sim.commands->stops["near-d0"] = {.after = 5s};
  sim.die();
  sim.play(31s);
  const auto done = sim.shut_down();
  CHECK_FALSE(done.answered());
  sim.play(4s);
  CHECK(done.answered());
  sim.play(1h);
  CHECK(sim.stops() == 1);
  CHECK(sim.launches() == 1);
}

TEST_CASE("a slot actor that dies while its slot waits holds nothing: the replacement follows") {
  dying_pool sim;
  sim.die_and_wait();
  caf::anon_send(sim.commands->listener, exited_atom_v,
                 process_exit{"near-d0", "whatever", {}, {}});
  while (sim.busy("slot").empty())
    sim.step();
  caf::anon_send_exit(sim.busy("slot").front(), caf::exit_reason::kill);
  sim.run();
  REQUIRE(sim.log.count("actor_died") == 1);
  CHECK(sim.capacity().unconfirmed.empty());
  sim.come_back(1);
  CHECK(sim.launches() == 2);
  CHECK(sim.health().replicas.size() == 1);
  CHECK(sim.of(0).now == phase::ready);
}
