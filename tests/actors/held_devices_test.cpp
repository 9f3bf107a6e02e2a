// SPDX-License-Identifier: MIT
// Devices that a record may hold although the fleet file has them elsewhere now. Contract
// section 8.
#include "support/restarted_pool.hpp"

#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

TEST_CASE("a slot of that name on other devices or another port is not launched on") {
  auto moved = near(0);
  moved.port = 9500;
  auto wider = near(0);
  wider.devices = {0, 1};
  wider.port = 9500;
  restarted sim(left({moved}, 2), probe_verdict::silent);
  sim.play(1min);
  CHECK(reasons(sim.capacity()) == texts{"near-d0:no-longer-declared"});
  CHECK(sim.capacity().unconfirmed[0].detail ==
        "recorded with devices 0 of near, 127.0.0.1:9500; the fleet file says otherwise now");
  CHECK(sim.commands->count("launch", "near-d0") == 0);
  CHECK(sim.commands->count("launch", "near-d1") == 1);
  CHECK(sim.journal->held.at("near-d0") == moved);
  restarted both(left({wider}, 2), probe_verdict::silent);
  both.play(1min);
  CHECK(reasons(both.capacity()) == texts{"near-d0:no-longer-declared", "near-d1:devices-held"});
  CHECK(both.commands->commands.empty());
}

TEST_CASE("devices that an undeclared record may hold are not given out until it is released") {
  auto renamed = near(1);
  renamed.slot = "old-d1";
  renamed.host = "old";
  restarted sim(left({renamed}, 2), probe_verdict::silent);
  sim.play(1min);
  CHECK(reasons(sim.capacity()) == texts{"near-d1:devices-held", "old-d1:no-longer-declared"});
  CHECK(sim.capacity().unconfirmed[0].detail ==
        "may be held by old-d1, recorded with devices 1 of old, 127.0.0.1:9001");
  CHECK(sim.commands->count("launch", "near-d1") == 0);
  sim.ask<release_answer>(sim.fleet.fronts[0], release_atom_v, std::string("old-d1"));
  sim.play({});
  CHECK(sim.capacity().unconfirmed.empty());
  CHECK(sim.grow("near-d1").outcome == grow_outcome::accepted);
}

TEST_CASE("a released slot is not free while another record may hold one of its devices") {
  auto wider = near(0);
  wider.devices = {0, 1};
  wider.port = 9500;
  auto other = near(0);
  other.slot = "old-d0";
  other.host = "old";
  restarted sim(left({wider, other}), probe_verdict::silent);
  sim.play({});
  CHECK(sim.release("near-d0").outcome == release_outcome::released);
  CHECK(reasons(sim.capacity()) == texts{"near-d0:devices-held", "old-d0:no-longer-declared"});
  CHECK(sim.grow("near-d0").outcome == grow_outcome::slot_not_free);
  CHECK(sim.release("old-d0").outcome == release_outcome::released);
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("an adopted replica's slot is not used again while another record may hold its device") {
  auto other = near(0);
  other.slot = "old-d0";
  restarted sim(left({near(0), other}), probe_verdict::good);
  sim.play(1s);
  const auto shrunk = sim.ask_shrink("near-d0");
  sim.play(1min);
  REQUIRE(shrunk.answered());
  CHECK(shrunk->outcome == shrink_outcome::stopped);
  CHECK(reasons(sim.capacity()) == texts{"near-d0:devices-held", "old-d0:no-longer-declared"});
  CHECK(sim.grow("near-d0").outcome == grow_outcome::slot_not_free);
}

TEST_CASE("devices-held names those that are left, and goes when the operator releases it") {
  auto one = near(1);
  one.slot = "old-a";
  auto two = one;
  two.slot = "old-b";
  restarted sim(left({one, two}), probe_verdict::silent);
  sim.release("old-a");
  CHECK(reasons(sim.capacity()) == texts{"near-d1:devices-held", "old-b:no-longer-declared"});
  CHECK(sim.capacity().unconfirmed[0].detail ==
        "may be held by old-b, recorded with devices 1 of near, 127.0.0.1:9001");
  CHECK(sim.release("near-d1").outcome == release_outcome::released);
  CHECK(sim.grow("near-d1").outcome == grow_outcome::accepted);
  CHECK(reasons(sim.capacity()) == texts{"old-b:no-longer-declared"});
}

TEST_CASE("a machine that is called and addressed in another way now is still the same") {
  auto moved = near(1);
  moved.slot = "old-d1";
  moved.host = "old";
  moved.address = "localhost";
  moved.port = 9999;
  auto shape = left({moved}, 2);
  shape.far = 2;
  restarted sim(shape, probe_verdict::silent);
  sim.play({});
  CHECK(reasons(sim.capacity()) == texts{"near-d1:devices-held", "old-d1:no-longer-declared"});
  shape.recorded[0].ssh = "user@far";
  shape.recorded[0].address = "10.0.0.2";
  restarted by_ssh(shape, probe_verdict::silent);
  by_ssh.play({});
  CHECK(reasons(by_ssh.capacity()) == texts{"far-d1:devices-held", "old-d1:no-longer-declared"});
}

TEST_CASE("a machine is the same one in each spelling of its ssh destination and its address") {
  auto moved = near(1);
  moved.slot = "old-d1";
  moved.host = "old";
  moved.port = 9999;
  auto shape = left({moved}, 4);
  shape.far = 2;
  const auto blocked_by = [&](const char* ssh, const char* address) {
    shape.recorded[0].ssh = ssh;
    shape.recorded[0].address = address;
    restarted sim(shape, probe_verdict::silent);
    sim.play(1min);
    const auto held = reasons(sim.capacity());
    CHECK(sim.commands->count("launch") == 4 - (held.size() - 1));
    return held;
  };
  const std::string undeclared = "old-d1:no-longer-declared";
  for (const auto* own : {"u@127.0.0.1", "v@LOCALHOST", "ssh://v@[::1]:2222"}) {
    CAPTURE(own);
    CHECK(blocked_by(own, "10.0.0.2") == texts{"near-d1:devices-held", undeclared});
  }
  for (const auto* own : {"localhost", "127.0.0.2", "::1", "0.0.0.0"}) {
    CAPTURE(own);
    CHECK(blocked_by("u@elsewhere", own) == texts{"near-d1:devices-held", undeclared});
  }
  for (const auto* far : {"other@far", "ssh://FAR.:2222", "far"}) {
    CAPTURE(far);
    CHECK(blocked_by(far, "10.0.0.2") == texts{"far-d1:devices-held", undeclared});
  }
  CHECK(blocked_by("u@elsewhere", "Far") == texts{"far-d1:devices-held", undeclared});
  CHECK(blocked_by("u@elsewhere", "10.0.0.2") == texts{undeclared});
}

TEST_CASE("a slot whose host is reached in another way now is no slot of that record") {
  auto elsewhere = near(0);
  elsewhere.ssh = "u@far";
  restarted sim(left({elsewhere}), probe_verdict::good);
  sim.play(1min);
  CHECK(reasons(sim.capacity()) == texts{"near-d0:no-longer-declared"});
  CHECK(sim.commands->count("stop") == 0);
}

TEST_CASE("whatever word a record gives as its reason, its release erases it") {
  auto odd = near(0);
  odd.reason = "devices-held";
  restarted sim(left({odd}), probe_verdict::silent);
  sim.play(1s);
  CHECK(sim.release("near-d0").outcome == release_outcome::released);
  CHECK(sim.journal->held.empty());
  CHECK(sim.grow("near-d0").outcome == grow_outcome::accepted);
}

TEST_CASE("a slot whose actor died while its devices were held can be released and launched on") {
  auto renamed = near(1);
  renamed.slot = "old-d1";
  for (const auto* released : {"near-d1", "old-d1"}) {
    CAPTURE(released);
    restarted sim(left({renamed}), probe_verdict::silent);
    sim.play({});
    // A question makes its actor one that has something to do.
    sim.ask<log_answer>(sim.fleet.supervisor, log_atom_v, log_query{.slot = "near-d1"});
    for (int i = 0; i < 9 && sim.busy("slot").empty(); ++i)
      sim.step();
    const auto victims = sim.busy("slot");
    REQUIRE(victims.size() == 1);
    caf::anon_send_exit(victims[0], caf::exit_reason::kill);
    sim.play({});
    CHECK(sim.log.count("actor_died") == 1);
    CHECK(reasons(sim.capacity()) == texts{"near-d1:devices-held", "old-d1:no-longer-declared"});
    CHECK(sim.release(released).outcome == release_outcome::released);
    const auto grown = sim.ask_grow("near-d1");
    sim.play({});
    REQUIRE(grown.answered());
    CHECK(grown->outcome == grow_outcome::accepted);
  }
}
