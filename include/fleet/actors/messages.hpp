// SPDX-License-Identifier: MIT
// What travels between actors: atoms, the type-id block, and how CAF sees the core's values. The
// values themselves know nothing of CAF.
#pragma once

#include "fleet/core/replica.hpp"
#include "fleet/core/turn.hpp"
#include "fleet/core/view.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/timespan.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// What one GET /health on a replica told.
enum class probe_verdict : std::uint8_t {
  good,          ///< 200
  bad,           ///< any other answer
  silent,        ///< no answer: refused, unreachable, too slow, not HTTP
  inconclusive,  ///< this side had no descriptor or memory to ask; says nothing of the replica
};

[[nodiscard]] std::string to_string(probe_verdict v);

struct probe_result {
  probe_verdict verdict = probe_verdict::silent;
  std::string reason;  ///< for the operator, e.g. "connection refused", "answered 503"

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
typename Inspector::result_type inspect(Inspector& f, route_query& x) {
  return f(caf::meta::type_name("route_query"), x.session, x.fresh, x.counted, x.tried);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ticket& x) {
  return f(caf::meta::type_name("ticket"), x.replica, x.how);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, route_answer& x) {
  return f(caf::meta::type_name("route_answer"), x.found, x.where, x.why);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, turn_end& x) {
  return f(caf::meta::type_name("turn_end"), x.replica, x.session, x.how, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replica_view& x) {
  return f(caf::meta::type_name("replica_view"), x.instance, x.name, x.url, x.now, x.ready, x.owned,
           x.draining, x.outstanding, x.routed, x.reason, x.since);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fleet_view& x) {
  return f(caf::meta::type_name("fleet_view"), x.sessions, x.routed, x.affinity_hits, x.rejected,
           x.replicas);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, probe_result& x) {
  return f(caf::meta::type_name("probe_result"), x.verdict, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, phase_report& x) {
  return f(caf::meta::type_name("phase_report"), x.instance, x.now, x.probed, x.reason);
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

CAF_END_TYPE_ID_BLOCK(fleet)
