// SPDX-License-Identifier: MIT
// How CAF sees what is asked and told about turns. Comes with messages.hpp.
#pragma once

#include "fleet/core/session_view.hpp"
#include "fleet/core/turn.hpp"
#include "fleet/core/view.hpp"

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>

#include <chrono>
#include <optional>

namespace fleet {

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
  // CAF 0.17 inspects no std::optional.
  bool answered = x.first_byte.has_value();
  auto first_byte = x.first_byte.value_or(std::chrono::nanoseconds(0));
  const auto load = [&]() -> caf::error {
    x.first_byte = answered ? std::optional(first_byte) : std::nullopt;
    return {};
  };
  return f(caf::meta::type_name("turn_end"), x.replica, x.session, x.chosen, x.counted, x.how,
           x.reason, answered, first_byte, caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pin_note& x) {
  return f(caf::meta::type_name("pin_note"), x.how, x.from);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pin_state& x) {
  return f(caf::meta::type_name("pin_state"), x.where, x.expired);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pin_ends& x) {
  return f(caf::meta::type_name("pin_ends"), x.expired, x.evicted, x.released);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pin_view& x) {
  return f(caf::meta::type_name("pin_view"), x.where, x.age, x.turns, x.in_flight, x.last, x.moved,
           x.from, x.moved_age);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, session_view& x) {
  return f(caf::meta::type_name("session_view"), x.replica, x.pin, x.from);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replica_view& x) {
  return f(caf::meta::type_name("replica_view"), x.instance, x.name, x.url, x.now, x.ready, x.owned,
           x.draining, x.outstanding, x.routed, x.reason, x.since, x.place, x.answers,
           x.first_byte_sum);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fleet_totals& x) {
  return f(caf::meta::type_name("fleet_totals"), x.sessions, x.routed, x.affinity_hits, x.rejected);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fleet_view& x) {
  return f(caf::meta::type_name("fleet_view"), x.sessions, x.routed, x.affinity_hits, x.rejected,
           x.ended, x.replicas);
}

}  // namespace fleet
