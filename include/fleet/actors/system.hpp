// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"

#include <cstddef>
#include <vector>

namespace fleet {

/// The actors of a running fleet, as the rest of the process sees them.
struct running_fleet {
  std::vector<front_actor> fronts;  ///< one per lane, for the connections of that lane
  supervisor_actor supervisor;
  router_actor router;
  prober_actor prober;
};

/// Spawns the actors and starts to probe `statics`, which keep their order in GET /health. Turns
/// may be asked for at once: they wait for the first probes by themselves. `fronts` is how many to
/// make. The fleet takes `prober` over. `log` must outlive the actors. From any thread.
[[nodiscard]] running_fleet start_fleet(caf::actor_system& system, const routing_settings& settings,
                                        std::vector<replica_spec> statics, prober_actor prober,
                                        std::size_t fronts, logger& log);

/// Ends every actor that start_fleet made and the prober, and drops the handles. Returns at once:
/// wait with system.await_all_actors_done(), which takes no longer than the actors take to read
/// their mailboxes; no timer is waited for. Turns still waiting for a replica hear `shutting_down`.
/// An orderly shutdown asks the supervisor to (shutdown) first. From any thread.
void stop_fleet(running_fleet& fleet);

}  // namespace fleet
