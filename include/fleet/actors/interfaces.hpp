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

/// Told when a launched process ends.
using exit_listener_actor = caf::typed_actor<
    // A process launched on this machine has ended, on purpose or not. Unknown ones are ignored.
    caf::reacts_to<exited_atom, process_exit>>;

/// Told where each slot stands.
using slot_listener_actor = caf::typed_actor<
    // This slot has moved.
    caf::reacts_to<slot_atom, slot_report>>;

/// What the admin API asks. An answer that waits for processes comes when they have done their
/// part, minutes later if need be; it is an error when the actors end first.
using admin_actor = caf::typed_actor<
    // Launch on this slot, empty: on the first free one. Answered when the launch command was.
    caf::replies_to<grow_atom, std::string /*slot*/>::with<grow_answer>,
    // Drain, stop and confirm. Those who ask while that is under way all get its answer.
    caf::replies_to<shrink_atom, std::string /*replica*/>::with<shrink_answer>,
    // The operator says that the devices of this unconfirmed slot are free.
    caf::replies_to<release_atom, std::string /*slot*/>::with<release_answer>,
    // The table for GET /replicas and GET /slots.
    caf::replies_to<fleet_atom>::with<pool_view>,
    // A part of a slot's log.
    caf::replies_to<log_atom, log_query>::with<log_answer>>;

/// What every turn asks.
using turn_actor = caf::typed_actor<
    // Where shall this turn go? Answered at once unless the first probes are still out.
    caf::replies_to<route_atom, route_query>::with<route_answer>,
    // The ticket comes back; exactly one for each ticket given.
    caf::reacts_to<finished_atom, turn_end>,
    // Name and address of an instance that a ticket named; port 0 when it is gone.
    caf::replies_to<describe_atom, instance_id>::with<replica_spec>,
    // The table for GET /health.
    caf::replies_to<health_atom>::with<fleet_view>,
    // Where this conversation is pinned, and why.
    caf::replies_to<session_atom, std::string /*id*/>::with<session_view>>;

/// One per lane: what HTTP connections of that lane talk to. Delegates all of it: turns to the
/// router, admin questions to the supervisor.
using front_actor = turn_actor::extend_with<admin_actor>;

/// One per process: membership, outstanding counts, rotation and counters.
using router_actor = turn_actor::extend<
    // A replica enters the table, not routable before its first good probe; owned when its
    // placement names a slot. The listener is told when a turn can not connect to it.
    caf::reacts_to<join_atom, instance_id, replica_spec, placement, lost_listener_actor>,
    // It leaves the table at once; its pins are released. Unknown instances are ignored.
    caf::reacts_to<leave_atom, instance_id>,
    // No new turns for it, pins released; answered when none of its turns is in flight.
    caf::replies_to<quiesce_atom, instance_id>::with<void>,
    // No new turns at all; answered when none is in flight.
    caf::replies_to<quiesce_atom>::with<void>,
    // What an earlier router left has been looked for once: turns wait for it no longer.
    caf::reacts_to<adopted_atom>,
    // INTERNAL: this much waiting for first probes is over.
    caf::reacts_to<tick_atom, std::uint64_t /*patience*/>>::extend_with<phase_listener_actor>;

/// One per hash bucket of session ids: the pins of its ids.
using session_shard_actor = caf::typed_actor<
    // The pin as it is. Touches nothing.
    caf::replies_to<lookup_atom, std::string /*id*/>::with<pin_state>,
    // The same with what led to it.
    caf::replies_to<session_atom, std::string /*id*/>::with<pin_view>,
    // The session is pinned there, one more of its turns is in flight.
    caf::reacts_to<pin_atom, std::string /*id*/, instance_id, pin_note>,
    // One of its turns ended there; the pin's age starts now. `reached`: the replica saw some of
    // it. A pin that no turn ever reached goes, since nothing is cached there.
    caf::reacts_to<unpin_atom, std::string /*id*/, instance_id, bool /*reached*/>,
    // Every pin on this instance goes.
    caf::reacts_to<forget_atom, instance_id>,
    // Live pins, and those that ended so far.
    caf::replies_to<count_atom>::with<std::uint64_t, pin_ends>,
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
    // No process of it is left: failed for good, whatever answers at its address.
    caf::reacts_to<exited_atom, std::string /*reason*/>,
    // INTERNAL: the next probe is due.
    caf::reacts_to<tick_atom, std::uint64_t /*epoch*/>>;

/// The only door to processes for the actors above. Each question is answered once, with a limit
/// of its own. Tests script it.
using commander_actor = caf::typed_actor<
    // Start this slot's replica.
    caf::replies_to<launch_atom, launch_order>::with<launch_result>,
    // Stop what a launch started.
    caf::replies_to<stop_atom, stop_order>::with<stop_result>,
    // Look at what a launch started.
    caf::replies_to<inspect_atom, inspect_order>::with<inspection>,
    // Read from the log of a slot.
    caf::replies_to<log_atom, log_order>::with<log_answer>,
    // From now on this one is told of each end of a process launched on this machine, after the
    // answer to its launch. The last one counts.
    caf::reacts_to<listen_atom, exit_listener_actor>>;

/// The only door to the state file. Contract section 8. A question is answered once what it asked
/// is safely on the disk; an error says why it is not, and then the file holds what it held before.
/// Questions are carried out in the order they come. Tests script it.
using journal_actor = caf::typed_actor<
    // This is what is known of that slot now, in place of what was recorded of it. The journal
    // dates it: launched_at when the instance is new to it, since when the reason is.
    caf::replies_to<record_atom, slot_record>::with<void>,
    // Nothing is held on that slot any more. Unknown slots are fine.
    caf::replies_to<erase_atom, std::string /*slot*/>::with<void>>;

/// One per declared slot: takes one replica at a time from its reservation to its confirmed end,
/// joins it to the router and has it probed. Tells the supervisor of every move and every phase;
/// that one takes what has ended out of the router's table, unless another replica is to follow.
using slot_actor = caf::typed_actor<
    // Launch as this instance. Only when free.
    caf::reacts_to<launch_atom, instance_id, std::string /*process instance*/>,
    // Take back as this instance what an earlier router recorded here. It is looked for at its
    // address, unless the record has a reason that only an operator can settle. Only when free.
    caf::reacts_to<adopt_atom, instance_id, slot_record, caf::timespan /*age of its reason*/>,
    // Retire this instance in whatever stage it is. Dropped about an older one, or a second time.
    caf::reacts_to<stop_atom, instance_id>,
    // A drain of this instance ends now, also one yet to come.
    caf::reacts_to<hurry_atom, instance_id>,
    // Free again, by the operator's word. Only when unconfirmed.
    caf::reacts_to<release_atom>,
    // A part of its log.
    caf::replies_to<log_atom, log_query>::with<log_answer>,
    // INTERNAL: the timer set at this step has run out.
    caf::reacts_to<tick_atom, std::uint64_t /*step*/>,
    // INTERNAL: the replica actor of this instance died a while ago, start another.
    caf::reacts_to<revive_atom, instance_id>>::extend_with<phase_listener_actor>::
    extend_with<lost_listener_actor>::extend_with<exit_listener_actor>;

/// One per process: owns the members. Starts a replica actor for each static replica, respawns a
/// replica actor that died (a defect, logged), ends them at shutdown. Decides which slots to launch
/// on, and what follows when a launched replica dies.
using supervisor_actor = caf::typed_actor<
    // No turn and no launch any more; every launched replica is retired. Answered when that is done
    // and no turn is in flight any more, or the drain time is over.
    caf::replies_to<shutdown_atom>::with<void>,
    // The same without waiting for turns, also when it has begun already. Stops what was launched
    // all the same.
    caf::replies_to<shutdown_atom, hurry_atom>::with<void>,
    // What the pool holds.
    caf::replies_to<capacity_atom>::with<capacity_view>,
    // INTERNAL: the drain time of a shutdown is over.
    caf::reacts_to<tick_atom>,
    // INTERNAL: something is due on this slot, unless its epoch is over.
    caf::reacts_to<retry_atom, std::uint64_t /*slot*/, std::uint64_t /*epoch*/>,
    // INTERNAL: the replica actor of this instance died a while ago, start another.
    caf::reacts_to<revive_atom, instance_id>>::extend_with<admin_actor>::
    extend_with<phase_listener_actor>::extend_with<lost_listener_actor>::extend_with<
        exit_listener_actor>::extend_with<slot_listener_actor>;

}  // namespace fleet
