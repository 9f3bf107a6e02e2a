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

running_fleet start_fleet(caf::actor_system& system, fleet_plan plan, logger& log) {
  running_fleet fleet;
  fleet.prober = plan.prober;
  fleet.commander = plan.commander;
  fleet.journal = plan.journal;
  fleet.router =
      system.spawn(router, plan.routing, plan.statics.size(), !plan.recorded.empty(), &log);
  const auto fronts = plan.fronts;
  fleet.supervisor = system.spawn(supervisor, std::move(plan), fleet.router, &log);
  for (std::size_t i = 0; i < fronts; ++i)
    fleet.fronts.push_back(make_front(system, fleet.router, fleet.supervisor));
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
  if (fleet.commander)
    end(fleet.commander);
  if (fleet.journal)
    end(fleet.journal);
}

}  // namespace fleet
