// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/launch/journal.hpp"

#include <caf/actor_system.hpp>

namespace fleet {

/// The journal on the disk. It writes on a thread of its own; what is asked while a write is under
/// way goes into the next one together. An erasure that failed is tried again every other second
/// and with each write, the last time when the actor ends. Ending it waits for the write under way.
/// From any thread.
[[nodiscard]] journal_actor spawn_journal(caf::actor_system& system, journal kept);

}  // namespace fleet
