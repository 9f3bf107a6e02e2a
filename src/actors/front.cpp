// SPDX-License-Identifier: MIT
#include "front.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace fleet {

front_actor::behavior_type front(front_actor::stateful_pointer<front_state> self,
                                 const router_actor& router, const supervisor_actor& supervisor) {
  return {
      [=](route_atom what, route_query& query) {
        return self->delegate(router, what, std::move(query));
      },
      [=](finished_atom what, turn_end& end) { self->send(router, what, std::move(end)); },
      [=](describe_atom what, instance_id id) { return self->delegate(router, what, id); },
      [=](health_atom what) { return self->delegate(router, what); },
      [=](grow_atom what, std::string& slot) {
        return self->delegate(supervisor, what, std::move(slot));
      },
      [=](shrink_atom what, std::string& replica) {
        return self->delegate(supervisor, what, std::move(replica));
      },
      [=](release_atom what, std::string& slot) {
        return self->delegate(supervisor, what, std::move(slot));
      },
      [=](fleet_atom what) { return self->delegate(supervisor, what); },
      [=](log_atom what, log_query& wanted) {
        return self->delegate(supervisor, what, std::move(wanted));
      },
  };
}

}  // namespace fleet
