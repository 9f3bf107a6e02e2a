// SPDX-License-Identifier: MIT
// Probes, phases and what GET /health says of them: contract section 5.
#include "replica.hpp"
#include "support/simulated_fleet.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

constexpr auto good = probe_verdict::good;
constexpr auto bad = probe_verdict::bad;
constexpr auto silent = probe_verdict::silent;
constexpr auto unsure = probe_verdict::inconclusive;

std::vector<probe_step> steps(std::vector<probe_verdict> verdicts) {
  std::vector<probe_step> all;
  for (const auto v : verdicts)
    all.push_back({.verdict = v});
  return all;
}

// The phase of node0 after each of its probes, by initials.
std::string phases(std::vector<probe_verdict> verdicts) {
  const auto count = verdicts.size();
  simulated_fleet sim({.replicas = 1, .probes = {{8001, steps(std::move(verdicts))}}});
  std::string seen;
  for (std::size_t i = 0; i < count; ++i) {
    sim.play(i == 0 ? 0s : 5s);
    seen += to_string(sim.of(0).now)[0];
  }
  return seen;
}

}  // namespace

TEST_CASE("two consecutive failures take it out, the first success returns it") {
  CHECK(phases({good, bad, good, bad, bad, bad, good}) == "rrrrffr");
  CHECK(phases({good, silent, bad, silent, good}) == "rrffr");
}

TEST_CASE("a replica that never answered is starting, one that served and stopped is failed") {
  CHECK(phases({silent, bad, silent, good, bad, silent}) == "sssrrf");
}

TEST_CASE("a probe that told nothing about the replica counts for nothing") {
  CHECK(phases({good, bad, unsure, unsure, bad}) == "rrrrf");
  CHECK(phases({good, unsure, unsure, unsure}) == "rrrr");
  CHECK(phases({unsure, unsure}) == "ss");
}

TEST_CASE(
    "D58: a busy replica that misses one probe keeps its sessions, one that misses two does not") {
  simulated_fleet sim({.probes = {{8001, steps({good, bad, good, bad, good, bad, bad, good})}}});
  REQUIRE(sim.turn("s").replica == simulated_fleet::node(0));
  for (int i = 0; i < 5; ++i) {
    const auto where = sim.turn("s");
    CHECK(where.replica == simulated_fleet::node(0));
    CHECK(where.how == affinity::hit);
    if (i < 4)
      sim.play(5s);
  }
  sim.play(10s);
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.turn("s").replica == simulated_fleet::node(1));
  sim.play(5s);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.turn("s").replica == simulated_fleet::node(1));
}

TEST_CASE("D58: a replica that answers slowly, but within its time, stays") {
  simulated_fleet sim({.replicas = 1, .probes = {{8001, {{.verdict = good, .after = 4s}}}}});
  sim.play(10min);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.script->count(8001) == 121);
}

TEST_CASE("each replica is probed at once and then every interval, measured from start to start") {
  simulated_fleet sim({.replicas = 2, .probes = {{8002, {{.verdict = good, .after = 3s}}}}});
  const auto start = sim.now();
  sim.play(1h);
  for (const int port : {8001, 8002}) {
    std::size_t n = 0;
    for (const auto& probe : sim.script->probes) {
      if (probe.port != port)
        continue;
      CHECK(probe.at == start + n++ * 5s);
      CHECK(probe.limit == 5s);
    }
    CHECK(n == 721);
  }
}

TEST_CASE(
    "D44: a replica that accepts and never answers is out, one probe at a time, and delays no "
    "other") {
  simulated_fleet sim({.settings = {.health_interval = 1s}});
  sim.play(0s);
  REQUIRE(sim.of(0).now == phase::ready);
  const auto start = sim.now();
  sim.script->set(8001, {{.verdict = good, .after = 1h}});
  sim.play(11s);
  CHECK(sim.of(0).now == phase::failed);
  for (int flip = 0; flip < 12; ++flip) {
    const bool up = flip % 2 == 1;
    sim.script->set(8002, up ? good : bad);
    sim.play(3s);
    CHECK(sim.of(1).ready == up);
    sim.play(2s);
  }
  CHECK(sim.script->most_at_once == 1);
  CHECK(sim.script->count(8001) <= 3 + (sim.now() - start) / 5s);
  CHECK(sim.of(0).now == phase::failed);
}

TEST_CASE("a probe that outlasts the interval is followed by the next as soon as it ends") {
  simulated_fleet sim({.replicas = 1,
                       .settings = {.health_interval = 2s, .connect_timeout = 5s},
                       .probes = {{8001, {{.verdict = good, .after = 3s}}}}});
  const auto start = sim.now();
  sim.play(30s);
  REQUIRE(sim.script->probes.size() == 11);
  for (std::size_t i = 0; i < 11; ++i)
    CHECK(sim.script->probes[i].at == start + i * 3s);
}

TEST_CASE("GET /health shows each replica in the order of the fleet file, with phase and reason") {
  simulated_fleet sim({.replicas = 3, .probes = {{8001, {{bad}}}, {8003, {{good}, {bad}}}}});
  sim.play(10s);
  const auto view = sim.health();
  REQUIRE(view.replicas.size() == 3);
  CHECK(view.replicas[0].name == "node0");
  CHECK(view.replicas[0].url == "http://127.0.0.1:8001");
  CHECK(view.replicas[0].now == phase::starting);
  CHECK(view.replicas[0].reason == "bad");
  CHECK_FALSE(view.replicas[0].ready);
  CHECK(view.replicas[1].name == "node1");
  CHECK(view.replicas[1].now == phase::ready);
  CHECK(view.replicas[1].reason.empty());
  CHECK(view.replicas[1].ready);
  CHECK_FALSE(view.replicas[1].owned);
  CHECK_FALSE(view.replicas[1].draining);
  CHECK(view.replicas[2].now == phase::failed);
  CHECK(view.replicas[2].reason == "bad");
}

TEST_CASE("since is the time a replica has been in its phase") {
  simulated_fleet sim({.replicas = 1, .probes = {{8001, {{good}, {bad}}}}});
  sim.play(4s);
  CHECK(sim.of(0).since == 4s);
  sim.play(13s);
  CHECK(sim.of(0).now == phase::failed);
  CHECK(sim.of(0).since == 7s);
}

TEST_CASE("a prober that is dead or never answers stops no replica from being probed again") {
  for (const bool dead : {true, false}) {
    simulation sim;
    quiet_log log;
    int asked = 0;
    auto prober = sim.track(sim.system().spawn([&](prober_actor::pointer self) {
      return prober_actor::behavior_type{
          [&asked, self](probe_atom, const endpoint&, caf::timespan) -> caf::result<probe_result> {
            ++asked;
            return self->make_response_promise<probe_result>();
          }};
    }));
    if (dead)
      caf::anon_send_exit(prober, caf::exit_reason::user_shutdown);
    sim.run();
    sim.track(sim.system().spawn(
        replica, replica_setup{.spec = {"node0", {"h", 1}}, .prober = prober, .log = &log}));
    sim.play(1min);
    CHECK(log.count("prober_failed") >= 8);
    CHECK(log.count("prober_failed") <= 13);
    CHECK(asked == (dead ? 0 : 9));
  }
}

TEST_CASE("a nudge probes now, or once more after the probe that is under way") {
  simulation sim;
  quiet_log log;
  auto script = std::make_shared<probe_script>();
  const prober_actor prober = sim.track(sim.system().spawn(scripted_prober, script));
  auto probed = sim.track(sim.system().spawn(
      replica, replica_setup{.spec = {"node0", {"h", 1}}, .prober = prober, .log = &log}));
  sim.play(1s);
  CHECK(script->count(1) == 1);
  script->set(1, {{.verdict = good, .after = 1s}});
  caf::anon_send(probed, nudge_atom_v);
  sim.run();
  CHECK(script->count(1) == 2);
  caf::anon_send(probed, nudge_atom_v);
  caf::anon_send(probed, nudge_atom_v);
  sim.run();
  CHECK(script->count(1) == 2);
  sim.play(1s);
  CHECK(script->count(1) == 3);
  sim.play(4999ms);
  CHECK(script->count(1) == 3);
  sim.play(1ms);
  CHECK(script->count(1) == 4);
  CHECK(script->most_at_once == 1);
}
