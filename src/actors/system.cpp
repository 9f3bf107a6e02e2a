// SPDX-License-Identifier: MIT
#include "fleet/actors/system.hpp"

#include "front.hpp"
#include "router.hpp"
#include "supervisor.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace fleet {

running_fleet start_fleet(caf::actor_system& system, const routing_settings& settings,
                          std::vector<replica_spec> statics, prober_actor prober,
                          std::size_t fronts, logger& log) {
  running_fleet fleet;
  fleet.prober = std::move(prober);
  fleet.router = system.spawn(router, settings, statics.size(), &log);
  fleet.supervisor =
      system.spawn(supervisor, settings, std::move(statics), fleet.router, fleet.prober, &log);
  for (std::size_t i = 0; i < fronts; ++i)
    fleet.fronts.push_back(system.spawn(front, fleet.router));
  return fleet;
}

void stop_fleet(running_fleet& fleet) {
  const auto end = [](auto& actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
  };
  for (auto& x : fleet.fronts)
    end(x);
  fleet.fronts.clear();
  end(fleet.supervisor);
  end(fleet.router);
  end(fleet.prober);
}

}  // namespace fleet
