// SPDX-License-Identifier: MIT
// What an operator releases may come alive, or lose its actor, before the slot has heard of it.
#include "support/simulated_pool.hpp"

#include <caf/event_based_actor.hpp>
#include <doctest/doctest.h>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

/// A router that starts on a record of near-d0, where nothing answers.
fleet_shape left_on_near_d0() {
  fleet_shape shape{.replicas = 0, .near = 1};
  shape.recorded = {{.slot = "near-d0",
                     .host = "near",
                     .devices = {0},
                     .address = "127.0.0.1",
                     .port = 9000,
                     .process = {.instance = "old0", .process_group = 4711}}};
  return shape;
}

/// Asks for the release of near-d0 after this time, among whatever else is due then.
asked<release_answer> ask_release_in(simulated_pool& sim, std::chrono::seconds delay) {
  asked<release_answer> result;
  sim.system().spawn<caf::hidden>(
      [=, supervisor = sim.fleet.supervisor](caf::event_based_actor* self) -> caf::behavior {
        self->delayed_send(self, delay, tick_atom_v);
        return {[=](tick_atom) {
          self->request(supervisor, caf::infinite, release_atom_v, std::string("near-d0"))
              .then([=](const release_answer& x) { result.answer(x); },
                    [=](const caf::error&) { result.fail(); });
          self->unbecome();
        }};
      });
  sim.run();
  return result;
}

}  // namespace

TEST_CASE("a release that meets an adoption is told that there is nothing to release") {
  simulated_pool sim(left_on_near_d0());
  sim.script->set(9000, {{.verdict = probe_verdict::silent},
                         {.verdict = probe_verdict::good, .after = 1s},
                         {.verdict = probe_verdict::good}});
  sim.play(5s);
  // The slot hears of the probe before the release, and the supervisor of neither.
  const auto answer = ask_release_in(sim, 1s);
  sim.play(1s);
  REQUIRE(answer.answered());
  CHECK(answer->outcome == release_outcome::not_unconfirmed);
  CHECK(sim.of(0).now == phase::ready);
  CHECK(sim.capacity().owned == 1);
}

TEST_CASE("a release whose slot actor dies meanwhile still frees the slot") {
  simulated_pool sim(left_on_near_d0());
  sim.play(1s);
  sim.journal->after = 2s;
  const auto answer = ask_release_in(sim, 1s);
  sim.play(2s);
  CHECK(!answer.answered());
  caf::anon_send_exit(sim.script->probes.at(0).asker, caf::exit_reason::kill);
  sim.play(10s);
  REQUIRE(answer.answered());
  CHECK(answer->outcome == release_outcome::released);
  CHECK(sim.capacity().free_slots.size() == 1);
  CHECK(sim.journal->held.empty());
}
