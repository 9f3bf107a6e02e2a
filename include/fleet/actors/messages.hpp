// SPDX-License-Identifier: MIT
// What travels between actors: atoms, the type-id block, and how CAF sees the core's values. The
// values themselves know nothing of CAF.
#pragma once

#include "fleet/actors/turn_messages.hpp"
#include "fleet/core/admin.hpp"
#include "fleet/core/process.hpp"
#include "fleet/core/record.hpp"
#include "fleet/core/replica.hpp"
#include "fleet/core/slot_life.hpp"
#include "fleet/core/slot_log.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/timespan.hpp>
#include <caf/type_id.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// What one GET /health on a replica told.
enum class probe_verdict : std::uint8_t {
  good,          ///< 200
  bad,           ///< any other answer
  silent,        ///< no answer: refused, unreachable, too slow, not HTTP
  inconclusive,  ///< no descriptor or memory to ask with, or no word from the name server; says
                 ///< nothing of the replica
};

[[nodiscard]] std::string to_string(probe_verdict v);

struct probe_result {
  probe_verdict verdict = probe_verdict::silent;
  std::string reason;      ///< for the operator, e.g. "connection refused", "answered 503"
  bool connected = false;  ///< something accepted the connection, whatever it said then

  friend bool operator==(const probe_result&, const probe_result&) = default;
};

/// What a replica actor tells those who listen: its phase changed, or its first probe is in.
struct phase_report {
  instance_id instance;
  phase now = phase::starting;
  bool probed = false;  ///< at least one probe has ended
  std::string reason;   ///< why it is not ready; empty when it is

  friend bool operator==(const phase_report&, const phase_report&) = default;
};

/// What a slot actor tells the supervisor at each move, and at each change of its replica's phase
/// while it serves.
struct slot_report {
  std::uint64_t slot = 0;  ///< index in the order of lay_out_slots
  instance_id instance;    ///< the one this is about
  slot_stage now = slot_stage::free;
  phase health = phase::starting;  ///< of a serving one
  std::string reason;  ///< of an unconfirmed one: a stable word; of a serving one: why not ready
  std::string detail;  ///< what went wrong, for the operator; empty when there is no more to say
  std::chrono::nanoseconds age{0};  ///< of an unconfirmed one: how long its reason has stood

  friend bool operator==(const slot_report&, const slot_report&) = default;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, endpoint& x) {
  return f(caf::meta::type_name("endpoint"), x.host, x.port, x.tls, x.ca_file,
           x.insecure_skip_verify);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replica_spec& x) {
  return f(caf::meta::type_name("replica_spec"), x.name, x.where);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, instance_id& x) {
  return f(caf::meta::type_name("instance_id"), x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, probe_result& x) {
  return f(caf::meta::type_name("probe_result"), x.verdict, x.reason, x.connected);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, phase_report& x) {
  return f(caf::meta::type_name("phase_report"), x.instance, x.now, x.probed, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, placement& x) {
  return f(caf::meta::type_name("placement"), x.slot, x.devices, x.host, x.log);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, env_var& x) {
  return f(caf::meta::type_name("env_var"), x.name, x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, host_spec& x) {
  return f(caf::meta::type_name("host_spec"), x.name, x.ssh, x.identity_file, x.address, x.devices,
           x.devices_per_replica, x.port_base, x.model, x.served_model_name, x.serve_args,
           x.serve_command, x.python, x.env, x.launch_wrapper, x.stop_command, x.workdir,
           x.log_dir);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slot_spec& x) {
  return f(caf::meta::type_name("slot_spec"), x.name, x.host, x.devices, x.port, x.address);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, exit_status& x) {
  return f(caf::meta::type_name("exit_status"), x.code, x.signal);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, process_ref& x) {
  return f(caf::meta::type_name("process_ref"), x.instance, x.process_group, x.birth, x.log_begin);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, launch_order& x) {
  return f(caf::meta::type_name("launch_order"), x.host, x.slot, x.instance);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, launch_result& x) {
  return f(caf::meta::type_name("launch_result"), x.started, x.process, x.reason, x.may_be_running);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stop_order& x) {
  return f(caf::meta::type_name("stop_order"), x.host, x.slot, x.process, x.grace);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stop_result& x) {
  return f(caf::meta::type_name("stop_result"), x.stopped, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, inspect_order& x) {
  return f(caf::meta::type_name("inspect_order"), x.host, x.slot, x.process);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, inspection& x) {
  return f(caf::meta::type_name("inspection"), x.known, x.alive, x.ended, x.how, x.log, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, process_exit& x) {
  return f(caf::meta::type_name("process_exit"), x.slot, x.instance, x.how, x.log);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slot_record& x) {
  return f(caf::meta::type_name("slot_record"), x.slot, x.host, x.ssh, x.devices, x.address, x.port,
           x.process, x.launched_at, x.reason, x.detail, x.since);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slot_report& x) {
  return f(caf::meta::type_name("slot_report"), x.slot, x.instance, x.now, x.health, x.reason,
           x.detail, x.age);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, unconfirmed_slot& x) {
  return f(caf::meta::type_name("unconfirmed_slot"), x.slot, x.reason, x.detail, x.since);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, abandoned_slot& x) {
  return f(caf::meta::type_name("abandoned_slot"), x.slot, x.losses, x.detail, x.since);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replacing_slot& x) {
  return f(caf::meta::type_name("replacing_slot"), x.slot, x.attempt, x.detail, x.retry_in);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, failed_launch& x) {
  return f(caf::meta::type_name("failed_launch"), x.slot, x.reason, x.since);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, capacity_view& x) {
  return f(caf::meta::type_name("capacity_view"), x.owned, x.ceiling, x.free_slots, x.unconfirmed,
           x.abandoned, x.replacing, x.failed_launches);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slot_view& x) {
  return f(caf::meta::type_name("slot_view"), x.slot, x.host, x.log, x.now, x.reason, x.detail,
           x.since, x.drain_left);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pool_view& x) {
  return f(caf::meta::type_name("pool_view"), x.replicas, x.capacity, x.slots, x.totals);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, log_query& x) {
  return f(caf::meta::type_name("log_query"), x.slot, x.begin, x.bytes, x.this_launch);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, log_order& x) {
  return f(caf::meta::type_name("log_order"), x.host, x.slot, x.begin, x.bytes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, log_answer& x) {
  return f(caf::meta::type_name("log_answer"), x.outcome, x.text, x.end, x.message);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, grow_answer& x) {
  return f(caf::meta::type_name("grow_answer"), x.outcome, x.message, x.replica, x.capacity);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, shrink_answer& x) {
  return f(caf::meta::type_name("shrink_answer"), x.outcome, x.slot, x.reason, x.message,
           x.capacity);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, release_answer& x) {
  return f(caf::meta::type_name("release_answer"), x.outcome, x.capacity);
}

}  // namespace fleet

CAF_BEGIN_TYPE_ID_BLOCK(fleet, first_custom_type_id)

  CAF_ADD_TYPE_ID(fleet, (fleet::endpoint))
  CAF_ADD_TYPE_ID(fleet, (fleet::replica_spec))
  CAF_ADD_TYPE_ID(fleet, (fleet::instance_id))
  CAF_ADD_TYPE_ID(fleet, (fleet::route_query))
  CAF_ADD_TYPE_ID(fleet, (fleet::ticket))
  CAF_ADD_TYPE_ID(fleet, (fleet::route_answer))
  CAF_ADD_TYPE_ID(fleet, (fleet::turn_end))
  CAF_ADD_TYPE_ID(fleet, (fleet::replica_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::fleet_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::probe_result))
  CAF_ADD_TYPE_ID(fleet, (fleet::phase_report))
  CAF_ADD_TYPE_ID(fleet, (fleet::placement))
  CAF_ADD_TYPE_ID(fleet, (fleet::env_var))
  CAF_ADD_TYPE_ID(fleet, (fleet::host_spec))
  CAF_ADD_TYPE_ID(fleet, (fleet::slot_spec))
  CAF_ADD_TYPE_ID(fleet, (fleet::exit_status))
  CAF_ADD_TYPE_ID(fleet, (fleet::process_ref))
  CAF_ADD_TYPE_ID(fleet, (fleet::launch_order))
  CAF_ADD_TYPE_ID(fleet, (fleet::launch_result))
  CAF_ADD_TYPE_ID(fleet, (fleet::stop_order))
  CAF_ADD_TYPE_ID(fleet, (fleet::stop_result))
  CAF_ADD_TYPE_ID(fleet, (fleet::inspect_order))
  CAF_ADD_TYPE_ID(fleet, (fleet::inspection))
  CAF_ADD_TYPE_ID(fleet, (fleet::process_exit))
  CAF_ADD_TYPE_ID(fleet, (fleet::slot_report))
  CAF_ADD_TYPE_ID(fleet, (fleet::unconfirmed_slot))
  CAF_ADD_TYPE_ID(fleet, (fleet::abandoned_slot))
  CAF_ADD_TYPE_ID(fleet, (fleet::replacing_slot))
  CAF_ADD_TYPE_ID(fleet, (fleet::failed_launch))
  CAF_ADD_TYPE_ID(fleet, (fleet::capacity_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::pool_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::grow_answer))
  CAF_ADD_TYPE_ID(fleet, (fleet::shrink_answer))
  CAF_ADD_TYPE_ID(fleet, (fleet::release_answer))
  CAF_ADD_TYPE_ID(fleet, (fleet::slot_record))
  CAF_ADD_TYPE_ID(fleet, (fleet::slot_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::log_query))
  CAF_ADD_TYPE_ID(fleet, (fleet::log_order))
  CAF_ADD_TYPE_ID(fleet, (fleet::log_answer))
  CAF_ADD_TYPE_ID(fleet, (fleet::fleet_totals))
  CAF_ADD_TYPE_ID(fleet, (fleet::pin_note))
  CAF_ADD_TYPE_ID(fleet, (fleet::pin_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::session_view))
  CAF_ADD_TYPE_ID(fleet, (fleet::pin_state))
  CAF_ADD_TYPE_ID(fleet, (fleet::pin_ends))

  CAF_ADD_ATOM(fleet, fleet, route_atom, "route")
  CAF_ADD_ATOM(fleet, fleet, finished_atom, "finished")
  CAF_ADD_ATOM(fleet, fleet, describe_atom, "describe")
  CAF_ADD_ATOM(fleet, fleet, health_atom, "health")
  CAF_ADD_ATOM(fleet, fleet, join_atom, "join")
  CAF_ADD_ATOM(fleet, fleet, leave_atom, "leave")
  CAF_ADD_ATOM(fleet, fleet, quiesce_atom, "quiesce")
  CAF_ADD_ATOM(fleet, fleet, phase_atom, "phase")
  CAF_ADD_ATOM(fleet, fleet, lookup_atom, "lookup")
  CAF_ADD_ATOM(fleet, fleet, pin_atom, "pin")
  CAF_ADD_ATOM(fleet, fleet, unpin_atom, "unpin")
  CAF_ADD_ATOM(fleet, fleet, forget_atom, "forget")
  CAF_ADD_ATOM(fleet, fleet, count_atom, "count")
  CAF_ADD_ATOM(fleet, fleet, sweep_atom, "sweep")
  CAF_ADD_ATOM(fleet, fleet, probe_atom, "probe")
  CAF_ADD_ATOM(fleet, fleet, nudge_atom, "nudge")
  CAF_ADD_ATOM(fleet, fleet, lost_atom, "lost")
  CAF_ADD_ATOM(fleet, fleet, tick_atom, "tick")
  CAF_ADD_ATOM(fleet, fleet, shutdown_atom, "shutdown")
  CAF_ADD_ATOM(fleet, fleet, revive_atom, "revive")
  CAF_ADD_ATOM(fleet, fleet, launch_atom, "launch")
  CAF_ADD_ATOM(fleet, fleet, stop_atom, "stop")
  CAF_ADD_ATOM(fleet, fleet, inspect_atom, "inspect")
  CAF_ADD_ATOM(fleet, fleet, exited_atom, "exited")
  CAF_ADD_ATOM(fleet, fleet, listen_atom, "listen")
  CAF_ADD_ATOM(fleet, fleet, slot_atom, "slot")
  CAF_ADD_ATOM(fleet, fleet, hurry_atom, "hurry")
  CAF_ADD_ATOM(fleet, fleet, grow_atom, "grow")
  CAF_ADD_ATOM(fleet, fleet, shrink_atom, "shrink")
  CAF_ADD_ATOM(fleet, fleet, release_atom, "release")
  CAF_ADD_ATOM(fleet, fleet, capacity_atom, "capacity")
  CAF_ADD_ATOM(fleet, fleet, fleet_atom, "fleet")
  CAF_ADD_ATOM(fleet, fleet, record_atom, "record")
  CAF_ADD_ATOM(fleet, fleet, erase_atom, "erase")
  CAF_ADD_ATOM(fleet, fleet, adopt_atom, "adopt")
  CAF_ADD_ATOM(fleet, fleet, adopted_atom, "adopted")
  CAF_ADD_ATOM(fleet, fleet, retry_atom, "retry")
  CAF_ADD_ATOM(fleet, fleet, wait_atom, "wait")
  CAF_ADD_ATOM(fleet, fleet, abandon_atom, "abandon")
  CAF_ADD_ATOM(fleet, fleet, log_atom, "log")
  CAF_ADD_ATOM(fleet, fleet, session_atom, "session")

CAF_END_TYPE_ID_BLOCK(fleet)
