// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"

#include <caf/fwd.hpp>

namespace fleet {

/// What the connections of one lane talk to; hands on everything, turns to the router, the rest to
/// the supervisor. Has no mailbox: each message goes on from the thread that sent it, since one
/// more mailbox on the way of a turn costs as much as the choice of its replica. Ends like any
/// actor when told to exit, and then answers with an error.
[[nodiscard]] front_actor make_front(caf::actor_system& system, router_actor router,
                                     supervisor_actor supervisor);

}  // namespace fleet
