// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/http/lane_threads.hpp"

#include <caf/fwd.hpp>

namespace fleet::http {

/// The prober over real sockets: each probe is one GET /health on a connection of its own, on one
/// of the lanes. `lanes` must outlive the actor.
[[nodiscard]] prober_actor spawn_prober(caf::actor_system& system, lane_threads& lanes);

}  // namespace fleet::http
