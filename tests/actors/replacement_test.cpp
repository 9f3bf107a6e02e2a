// SPDX-License-Identifier: MIT
// A replica that dies is replaced. Spec: "When a replica dies"; contract section 7.
#include "support/dying_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("a replica unroutable for replace-after is stopped, and 10 s later another is launched") {
  dying_pool sim;
  const auto before = sim.commands->last("launch");
  const auto death = sim.now();
  sim.die();
  sim.play(30s - 1ns);
  CHECK(sim.stops() == 0);
  sim.play(1ns);
  CHECK(sim.stops() == 1);
  CHECK(sim.commands->last("stop").instance == before.instance);
  sim.next_one_is_ready();
  sim.play(10s - 1ns);
  CHECK(sim.launches() == 1);
  sim.play(1ns);
  CHECK(sim.launches() == 2);
  CHECK(sim.commands->last("launch").at == death + 40s);
  CHECK(sim.commands->last("launch").instance != before.instance);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.turn("s").replica == sim.of(0).instance);
  CHECK(sim.log.count("replica_unroutable") == 1);
  CHECK(sim.log.count("replica_lost") == 1);
  CHECK(sim.log.count("replacement_waits") == 1);
  CHECK(sim.log.count("replacing") == 1);
}

TEST_CASE("two failed probes begin the same sequence") {
  dying_pool sim;
  sim.script->set(9000, probe_verdict::bad);
  sim.play(10s);
  REQUIRE(sim.of(0).now == phase::failed);
  const auto age = sim.of(0).since;
  sim.play(30s - age - 1ns);
  CHECK(sim.stops() == 0);
  sim.play(1ns);
  CHECK(sim.stops() == 1);
}

TEST_CASE("from its death to its replacement a replica counts as failed, since its death") {
  dying_pool sim({.replicas = 0, .near = 1, .launch = {.drain_timeout = 5s}});
  sim.commands->stops["near-d0"] = {.after = 2s};
  sim.commands->launches["near-d0"] = {.after = 3s};
  sim.begin("stuck");
  sim.die();
  const auto death = sim.now();
  // 30 s unroutable, 5 s of drain, 2 s of stop, 10 s of back-off, 3 s of launch command
  while (sim.now() < death + 50s - 100ms) {
    const auto all = sim.health().replicas;
    REQUIRE(all.size() == 1);
    CHECK(all[0].now == phase::failed);
    CHECK_FALSE(all[0].ready);
    CHECK(all[0].name == "near-d0");
    CHECK(all[0].since == sim.now() - death);
    CHECK_FALSE(all[0].reason.empty());
    CHECK(sim.begin("t").why == no_route::no_replica);
    CHECK(sim.capacity().owned == 1);
    CHECK(sim.capacity().free_slots.empty());
    sim.play(100ms);
  }
  sim.play(100ms);
  const auto all = sim.health().replicas;
  REQUIRE(all.size() == 1);
  CHECK(all[0].now == phase::starting);
  CHECK(all[0].since == 0s);
  sim.load(9000);
  CHECK(sim.health().replicas.size() == 1);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("a replacement is listed from the retirement of the dead one until it is ready") {
  dying_pool sim;
  sim.commands->stops["near-d0"] = {.after = 2s};
  const auto listed = [&] { return sim.capacity().replacing; };
  sim.die();
  sim.play(29s);
  CHECK(listed().empty());
  sim.play(1s);
  REQUIRE(listed().size() == 1);
  CHECK(listed()[0] == replacing_slot{"near-d0", 1, "connect_failed", 0s});
  sim.play(2s);
  REQUIRE(listed().size() == 1);
  CHECK(listed()[0] == replacing_slot{"near-d0", 1, "connect_failed", 10s});
  sim.play(4s);
  CHECK(listed()[0].retry_in == 6s);
  sim.play(6s);
  REQUIRE(listed().size() == 1);
  CHECK(listed()[0].attempt == 1);
  CHECK(listed()[0].retry_in == 0s);
  sim.load(9000);
  CHECK(listed().empty());
}

TEST_CASE("a replica that recovers before replace-after is left alone") {
  dying_pool sim;
  sim.die();
  sim.play(24s);
  sim.load(9000);
  CHECK(sim.of(0).now == phase::ready);
  sim.play(1h);
  CHECK(sim.stops() == 0);
  CHECK(sim.launches() == 1);
  sim.die();
  sim.play(30s - 1ns);
  CHECK(sim.stops() == 0);
  sim.play(1ns);
  CHECK(sim.stops() == 1);
}

TEST_CASE("three losses in a row, the wait doubling from 10 s, and the slot is abandoned") {
  dying_pool sim;
  sim.die_and_wait();
  sim.come_back(1);
  CHECK(sim.launches() == 2);
  sim.die_and_wait();
  sim.play(20s - 1ns);
  CHECK(sim.launches() == 2);
  sim.next_one_is_ready();
  sim.play(1ns);
  CHECK(sim.launches() == 3);
  CHECK(sim.of(0).now == phase::ready);
  sim.die();
  sim.play(30s);
  sim.play(7s);
  const auto left = sim.capacity();
  CHECK(left.owned == 0);
  REQUIRE(left.abandoned.size() == 1);
  CHECK(left.abandoned[0] == abandoned_slot{"near-d0", 3, "connect_failed", 7s});
  CHECK(left.replacing.empty());
  CHECK(left.free_slots == std::vector<std::string>{"near-d0"});
  CHECK(sim.health().replicas.empty());
  CHECK(sim.log.count("slot_abandoned") == 1);
  sim.play(24h);
  CHECK(sim.launches() == 3);
}

TEST_CASE("stable-after of readiness clears the count of losses") {
  dying_pool sim;
  sim.die_and_wait();
  sim.come_back(1);
  sim.play(300s);
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).attempt == 1);
  CHECK(sim.capacity().replacing.at(0).retry_in == 10s);
  sim.come_back(1);
  sim.play(299s);
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).attempt == 2);
  CHECK(sim.capacity().replacing.at(0).retry_in == 20s);
}

TEST_CASE("a replacement whose launch command fails is a loss too") {
  dying_pool sim;
  sim.commands->launches["near-d0"] = {.started = false, .reason = "no such file"};
  sim.die_and_wait();
  sim.play(10s);
  CHECK(sim.launches() == 2);
  const auto next = sim.capacity().replacing;
  REQUIRE(next.size() == 1);
  CHECK(next[0] == replacing_slot{"near-d0", 2, "no such file", 20s});
  CHECK(sim.of(0).now == phase::failed);
  sim.play(20s);
  CHECK(sim.launches() == 3);
  CHECK(sim.capacity().abandoned.size() == 1);
  CHECK(sim.health().replicas.empty());
}

TEST_CASE("a replacement whose address is taken is a loss too") {
  dying_pool sim;
  sim.die_and_wait();
  sim.script->set(9000, probe_verdict::bad);
  sim.play(10s);
  CHECK(sim.launches() == 1);
  CHECK(sim.capacity().replacing.at(0).attempt == 2);
  CHECK(sim.capacity().replacing.at(0).detail.starts_with("address_in_use"));
  sim.next_one_is_ready();
  sim.play(20s);
  CHECK(sim.of(0).now == phase::ready);
}

TEST_CASE("a replacement that never gets ready is stopped and is a loss too") {
  dying_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 60s}});
  sim.die_and_wait();
  sim.play(10s);
  CHECK(sim.of(0).now == phase::starting);
  sim.play(60s);
  CHECK(sim.stops() == 2);
  CHECK(sim.capacity().replacing.at(0).attempt == 2);
  CHECK(sim.of(0).now == phase::failed);
  sim.play(20s + 60s);
  CHECK(sim.stops() == 3);
  CHECK(sim.capacity().abandoned.size() == 1);
  CHECK(sim.capacity().abandoned.at(0).detail.starts_with("not ready within 60"));
}

TEST_CASE("a replacement that exits before it is ready is a loss at once") {
  dying_pool sim;
  sim.die_and_wait();
  sim.play(11s);
  sim.end_process("near-d0", sim.commands->last("launch").instance, {.code = 3}, "out of memory");
  CHECK(sim.capacity().replacing.at(0).attempt == 2);
  CHECK(sim.capacity().replacing.at(0).detail == "exit status 3; its log ends: out of memory");
  CHECK(sim.of(0).reason.find("out of memory") == std::string::npos);  // GET /health is open to all
}

TEST_CASE("a first launch that never gets ready is not replaced") {
  simulated_pool sim({.replicas = 0, .near = 1, .launch = {.launch_timeout = 60s}});
  sim.grow();
  sim.play(24h);
  CHECK(sim.commands->count("launch") == 1);
  CHECK(sim.capacity().replacing.empty());
  CHECK(sim.capacity().free_slots.size() == 1);
}

TEST_CASE("a stop that can not be confirmed is never launched onto, and is no wait") {
  dying_pool sim;
  sim.commands->stops["near-d0"] = {.stopped = false, .reason = "ssh: exit status 255"};
  sim.die();
  sim.play(24h);
  CHECK(sim.launches() == 1);
  const auto left = sim.capacity();
  REQUIRE(left.unconfirmed.size() == 1);
  CHECK(left.unconfirmed[0].reason == "stop-unconfirmed");
  CHECK(left.replacing.empty());
  CHECK(sim.health().replicas.empty());
  sim.release("near-d0");
  sim.play(24h);
  CHECK(sim.launches() == 1);
  CHECK(sim.capacity().free_slots.size() == 1);
  sim.next_one_is_ready();
  sim.grow();
  sim.commands->stops.clear();
  sim.die_and_wait();
  CHECK(sim.capacity().replacing.at(0).attempt == 1);
}

TEST_CASE(
    "a launched process seen to exit leaves rotation at once and is replaced when it is due") {
  dying_pool sim;
  sim.script->set(9000, probe_verdict::silent);
  sim.end_process("near-d0", sim.commands->last("launch").instance, {.signal = 9}, "its log");
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.of(0).reason == "killed by SIGKILL");
  CHECK(sim.begin("s").why == no_route::no_replica);
  sim.play(30s - 1ns);
  CHECK(sim.stops() == 0);
  sim.play(1ns);
  CHECK(sim.stops() == 1);
  CHECK(sim.capacity().replacing.at(0).detail == "killed by SIGKILL; its log ends: its log");
}

TEST_CASE("an exit that leaves the server running costs it no more than a moment") {
  dying_pool sim;
  const auto launched = sim.commands->last("launch").instance;
  sim.end_process("near-d0", launched, {});
  CHECK(sim.of(0).now == phase::ready);
  sim.end_process("near-d0", launched, {.code = 1});
  CHECK(sim.of(0).now == phase::failed);
  sim.play(1s);
  CHECK(sim.of(0).now == phase::ready);
  sim.end_process("near-d0", "an older one", {.code = 1});
  CHECK(sim.of(0).now == phase::ready);
  sim.play(24h);
  CHECK(sim.launches() == 1);
}

TEST_CASE("a stranger that answers where nothing of the launch is left takes no turns") {
  dying_pool sim;
  sim.commands->inspections["near-d0"] = {.known = true};
  sim.end_process("near-d0", sim.commands->last("launch").instance, {.code = 1});
  sim.play(29s);
  CHECK(sim.of(0).now == phase::failed);
  CHECK_FALSE(sim.route({}).found);
  sim.commands->stops["near-d0"] = {.goes_silent = false};
  sim.play(1min);
  CHECK(sim.launches() == 1);
  CHECK(sim.capacity().unconfirmed.at(0).reason == "stop-unconfirmed");
}

TEST_CASE("D26: a turn of the dead instance that ends late is booked on no other") {
  dying_pool sim({.replicas = 0, .near = 1, .launch = {.drain_timeout = 5s}});
  const auto stuck = sim.begin("s").where.replica;
  sim.die();
  sim.play(30s + 5s);
  sim.come_back(1);
  const auto next = sim.of(0).instance;
  CHECK(next != stuck);
  sim.finish(stuck, "s");
  CHECK(sim.of(0).outstanding == 0);
  CHECK(sim.begin("s").where.how == affinity::fresh);
  CHECK(sim.of(0).outstanding == 1);
}

TEST_CASE("the survivor serves while the other is replaced") {
  dying_pool sim({.replicas = 1, .near = 1});
  sim.script->set(9000, probe_verdict::silent);
  sim.play(10s);
  for (int second = 0; second < 60; ++second) {
    CHECK(sim.turn("s").replica == simulated_fleet::node(0));
    sim.play(1s);
  }
  CHECK(sim.launches() == 2);
}
