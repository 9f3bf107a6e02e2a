// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/launch/commander.hpp"

#include <caf/fwd.hpp>

namespace fleet {

/// The commander over real processes and the system's ssh. When the actor ends, so do the commands
/// under way; what was launched goes on.
[[nodiscard]] commander_actor spawn_commander(caf::actor_system& system,
                                              process_commander::options given);

}  // namespace fleet
