// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"

namespace fleet {

class front_state {
 public:
  static constexpr const char* name = "front";
};

/// What the connections of one lane talk to; hands on everything.
front_actor::behavior_type front(front_actor::stateful_pointer<front_state> self,
                                 const router_actor& router, const supervisor_actor& supervisor);

}  // namespace fleet
