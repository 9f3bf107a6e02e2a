// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/outside.hpp"

#include "fleet/actors/interfaces.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <memory>
#include <string>

namespace fleet::sim {

/// Where the doors of one router lead. Null once that router is dead: nothing gets out any more.
using way_out = std::shared_ptr<outside*>;

using prober_door = prober_actor::extend<caf::reacts_to<probe_atom, question, probe_result>>;

using commander_door = commander_actor::extend<caf::reacts_to<launch_atom, question, launch_result>,
                                               caf::reacts_to<stop_atom, question, stop_result>,
                                               caf::reacts_to<inspect_atom, question, inspection>,
                                               caf::reacts_to<exited_atom, process_exit>>;

/// An empty reason: it is on the disk.
using journal_door =
    journal_actor::extend<caf::reacts_to<record_atom, question, std::string /*why not*/>>;

[[nodiscard]] prober_door spawn_prober_door(caf::actor_system& system, way_out out);
[[nodiscard]] commander_door spawn_commander_door(caf::actor_system& system, way_out out);
[[nodiscard]] journal_door spawn_journal_door(caf::actor_system& system, way_out out);

}  // namespace fleet::sim
