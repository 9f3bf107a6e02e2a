// SPDX-License-Identifier: MIT
// The map of the system: every actor's interface, in the order a turn meets them. A message marked
// INTERNAL is sent by an actor only to itself. An answer of `void` arrives as an empty message: its
// handler takes no argument.
#pragma once

#include "fleet/actors/messages.hpp"

#include <caf/typed_actor.hpp>

namespace fleet {

/// Told whatever happens to a replica: the one narrow interface that replicas report through.
using phase_listener_actor = caf::typed_actor<
    // This replica's phase or first probe. One about an instance unknown here is dropped.
    caf::reacts_to<phase_atom, phase_report>>;

/// Told when turns can not reach a replica.
using lost_listener_actor = caf::typed_actor<
    // A turn could not connect to this instance. Unknown instances are ignored.
    caf::reacts_to<lost_atom, instance_id, std::string /*reason*/>>;

/// One per lane: what HTTP connections of that lane talk to. Delegates all of it to the router.
using front_actor = caf::typed_actor<
    // Where shall this turn go? Answered at once unless the first probes are still out.
    caf::replies_to<route_atom, route_query>::with<route_answer>,
    // The ticket comes back; exactly one for each ticket given.
    caf::reacts_to<finished_atom, turn_end>,
    // Name and address of an instance that a ticket named; port 0 when it is gone.
    caf::replies_to<describe_atom, instance_id>::with<replica_spec>,
    // The table for GET /health.
    caf::replies_to<health_atom>::with<fleet_view>>;

/// One per process: membership, outstanding counts, rotation and counters.
using router_actor = front_actor::extend<
    // A replica enters the table, not routable before its first good probe. The listener is told
    // when a turn can not connect to it.
    caf::reacts_to<join_atom, instance_id, replica_spec, bool /*owned*/, lost_listener_actor>,
    // It leaves the table at once; its pins are released. Unknown instances are ignored.
    caf::reacts_to<leave_atom, instance_id>,
    // No new turns for it, pins released; answered when none of its turns is in flight.
    caf::replies_to<quiesce_atom, instance_id>::with<void>,
    // No new turns at all; answered when none is in flight.
    caf::replies_to<quiesce_atom>::with<void>,
    // INTERNAL: this much waiting for first probes is over.
    caf::reacts_to<tick_atom, std::uint64_t /*patience*/>>::extend_with<phase_listener_actor>;

/// One per hash bucket of session ids: the pins of its ids.
using session_shard_actor = caf::typed_actor<
    // The pinned instance, value 0 when there is none (or it expired). Touches nothing.
    caf::replies_to<lookup_atom, std::string /*id*/>::with<instance_id>,
    // The session is pinned there, one more of its turns is in flight.
    caf::reacts_to<pin_atom, std::string /*id*/, instance_id>,
    // One of its turns ended there; the pin's age starts now. `reached`: the replica saw some of
    // it. A pin that no turn ever reached goes, since nothing is cached there.
    caf::reacts_to<unpin_atom, std::string /*id*/, instance_id, bool /*reached*/>,
    // Every pin on this instance goes.
    caf::reacts_to<forget_atom, instance_id>,
    // Live pins.
    caf::replies_to<count_atom>::with<std::uint64_t>,
    // INTERNAL: drop what has expired.
    caf::reacts_to<sweep_atom>>;

/// The only door to the network for the actors above. Real: http::prober. Tests script it.
using prober_actor = caf::typed_actor<
    // One GET /health within this time; always answered, by then at the latest.
    caf::replies_to<probe_atom, endpoint, caf::timespan>::with<probe_result>>;

/// One per replica instance: probes it, keeps its phase, reports changes.
using replica_actor = caf::typed_actor<
    // Probe now rather than at the next tick.
    caf::reacts_to<nudge_atom>,
    // A turn could not connect: failed from now on, until the next good probe.
    caf::reacts_to<lost_atom, std::string /*reason*/>,
    // INTERNAL: the next probe is due.
    caf::reacts_to<tick_atom, std::uint64_t /*epoch*/>>;

/// One per process: owns the members. Starts a replica actor for each static replica, respawns a
/// replica actor that died (a defect, logged), ends them at shutdown.
using supervisor_actor = caf::typed_actor<
    // No turn is taken any more; answered when those in flight are done.
    caf::replies_to<shutdown_atom>::with<void>,
    // INTERNAL: the replica actor of this instance died a while ago, start another.
    caf::reacts_to<revive_atom, instance_id>>::extend_with<phase_listener_actor>::
    extend_with<lost_listener_actor>;

}  // namespace fleet
