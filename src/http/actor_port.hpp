// SPDX-License-Identifier: MIT
#pragma once

#include "fleet_port.hpp"

#include "fleet/actors/interfaces.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <memory>

namespace fleet::http {

/// The fleet_port over a lane's front actor.
[[nodiscard]] std::unique_ptr<fleet_port> make_actor_port(caf::actor_system& system,
                                                          std::size_t lane, executor where,
                                                          front_actor front);

}  // namespace fleet::http
