// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/host.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/record.hpp"
#include "fleet/core/settings.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fleet {

/// What a fleet is made of.
struct fleet_plan {
  routing_settings routing;
  launch_settings launch;
  std::vector<replica_spec> statics;  ///< keep their order in GET /health
  std::vector<host_spec> hosts;
  std::vector<slot_spec> slots;       ///< lay_out_slots(hosts)
  prober_actor prober;                ///< the fleet takes it over
  commander_actor commander;          ///< the fleet takes it over; needed only when there are slots
  journal_actor journal;              ///< the fleet takes it over; null: nothing is recorded
  std::vector<slot_record> recorded;  ///< what an earlier router left in the journal
  wall_time started_at{};             ///< now, to tell the age of what was recorded
  /// Gives a process_ref::instance, another one at each call. Called on any lane; needed only when
  /// there are slots.
  std::function<std::string()> mint_instance;
  std::size_t fronts = 1;  ///< how many to make
};

/// The actors of a running fleet, as the rest of the process sees them.
struct running_fleet {
  std::vector<front_actor> fronts;  ///< one per lane, for the connections of that lane
  supervisor_actor supervisor;
  router_actor router;
  prober_actor prober;
  commander_actor commander;  ///< null when the plan had none
  journal_actor journal;      ///< null when the plan had none
};

/// Spawns the actors, starts to probe the static replicas and to launch the initial ones. Turns may
/// be asked for at once: they wait for the first probes by themselves. `log` must outlive the
/// actors. From any thread.
[[nodiscard]] running_fleet start_fleet(caf::actor_system& system, fleet_plan plan, logger& log);

/// Ends every actor that start_fleet made, the prober and the commander, and drops the handles.
/// Returns at once: wait with system.await_all_actors_done(), which takes no longer than the actors
/// take to read their mailboxes; no timer is waited for. Turns still waiting for a replica hear
/// `shutting_down`. An orderly shutdown asks the supervisor to (shutdown) first. From any thread.
void stop_fleet(running_fleet& fleet);

}  // namespace fleet
