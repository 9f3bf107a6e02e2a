// SPDX-License-Identifier: MIT
#include "fleet/actors/system.hpp"

#include "support/quiet_log.hpp"
#include "support/thread_lanes.hpp"

#include "fleet/actors/lane_scheduler.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

// A prober to whom every replica is fine.
prober_actor::behavior_type optimist(prober_actor::pointer) {
  return {[](probe_atom, const endpoint&, caf::timespan) {
    return probe_result{.verdict = probe_verdict::good};
  }};
}

// A prober that never answers, as the port behind the door never should.
prober_actor::behavior_type mute(prober_actor::pointer self) {
  return {[=](probe_atom, const endpoint&, caf::timespan) -> caf::result<probe_result> {
    return self->make_response_promise<probe_result>();
  }};
}

std::vector<replica_spec> replicas(int count) {
  std::vector<replica_spec> all;
  for (int i = 0; i < count; ++i)
    all.push_back({"node" + std::to_string(i),
                   {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(8001 + i)}});
  return all;
}

struct lanes_config : caf::actor_system_config {
  explicit lanes_config(lane_driver& driver) { use_lanes(*this, driver); }
};

}  // namespace

TEST_CASE("a turn asked for right after the start waits for the first probes and finds a replica") {
  thread_lanes driver(2);
  lanes_config config(driver);
  quiet_log log;
  caf::actor_system system(config);
  auto fleet = start_fleet(
      system, {.statics = replicas(2), .prober = system.spawn(optimist), .fronts = 2}, log);
  {
    caf::scoped_actor self(system);
    bool found = false;
    self->request(fleet.fronts[1], 10s, route_atom_v, route_query{.session = "s"})
        .receive([&](const route_answer& answer) { found = answer.found; },
                 [](const caf::error&) {});
    CHECK(found);
  }
  stop_fleet(fleet);
  CHECK(log.errors() == 0);
}

TEST_CASE("a fleet stops at once whatever timers it has set") {
  for (const auto& prober : {optimist, mute}) {
    thread_lanes driver(2);
    lanes_config config(driver);
    quiet_log log;
    const auto stop = [&] {
      caf::actor_system system(config);
      auto fleet = start_fleet(system,
                               {.routing = {.health_interval = 1h},
                                .statics = replicas(50),
                                .prober = system.spawn(prober),
                                .fronts = 2},
                               log);
      caf::scoped_actor(system)
          ->request(fleet.fronts[0], 10s, health_atom_v)
          .receive([](const fleet_view&) {}, [](const caf::error&) {});
      const auto start = std::chrono::steady_clock::now();
      stop_fleet(fleet);
      system.await_all_actors_done();
      return start;
    };
    const auto start = stop();
    CHECK(std::chrono::steady_clock::now() - start < 5s);
    CHECK(log.errors() == 0);
  }
}
