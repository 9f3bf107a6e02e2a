// SPDX-License-Identifier: MIT
#include "supervisor.hpp"

#include "replica.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// An actor that dies in its first act must not be started over and over without a pause.
constexpr std::chrono::nanoseconds revival_pause = 1s;

}  // namespace

supervisor_actor::behavior_type supervisor(supervisor_state::pointer self, const fleet_plan& plan,
                                           const router_actor& router, logger* log) {
  return self->state.start(plan, router, *log);
}

supervisor_actor::behavior_type supervisor_state::start(fleet_plan plan, router_actor router,
                                                        logger& log) {
  settings_ = plan.routing;
  router_ = std::move(router);
  prober_ = std::move(plan.prober);
  log_ = &log;
  self_->set_down_handler([this](const caf::down_msg& death) { actor_died(death); });
  self_->set_exit_handler([this](const caf::exit_msg& order) { exit(order.reason); });
  self_->monitor(router_);
  self_->monitor(prober_);
  for (auto& spec : plan.statics)
    add(std::move(spec));
  return {
      [this](shutdown_atom) { return shutdown(); },
      [](shutdown_atom, hurry_atom) {},
      [](tick_atom) {},
      [this](capacity_atom) { return capacity(); },
      [this](grow_atom, const std::string& slot) { return grow(slot); },
      [this](shrink_atom, const std::string& replica) { return shrink(replica); },
      [this](release_atom, const std::string&) {
        return release_answer{release_outcome::unknown, capacity()};
      },
      [this](fleet_atom) { return view(); },
      [](exited_atom, const process_exit&) {},
      [](slot_atom, const slot_report&) {},
      [this](revive_atom, instance_id id) { revive(id); },
      [this](phase_atom, const phase_report& report) { hear(report); },
      [this](lost_atom, instance_id id, std::string& reason) { lost(id, reason); },
  };
}

void supervisor_state::add(replica_spec spec) {
  const instance_id id{++last_instance_};
  const supervisor_actor me = self_;
  self_->send(router_, join_atom_v, id, spec, placement{}, lost_listener_actor(me));
  auto& m = members_[id];
  m.spec = std::move(spec);
  watch(id, m);
}

void supervisor_state::watch(instance_id id, member& m) {
  const supervisor_actor me = self_;
  m.actor = self_->spawn<caf::monitored>(replica, replica_setup{.instance = id,
                                                                .spec = m.spec,
                                                                .known = m.known,
                                                                .settings = settings_,
                                                                .prober = prober_,
                                                                .listeners = {router_, me},
                                                                .log = log_});
}

caf::delegated<void> supervisor_state::shutdown() {
  return self_->delegate(router_, quiesce_atom_v);
}

capacity_view supervisor_state::capacity() const {
  return {};
}

grow_answer supervisor_state::grow(const std::string& slot) const {
  return {.outcome = slot.empty() ? grow_outcome::pool_full : grow_outcome::unknown_slot,
          .message = slot.empty() ? "no slot is free" : "no slot is called " + slot,
          .capacity = capacity()};
}

shrink_answer supervisor_state::shrink(const std::string& replica_name) const {
  const bool known = std::any_of(members_.begin(), members_.end(),
                                 [&](const auto& x) { return x.second.spec.name == replica_name; });
  return {
      .outcome = known ? shrink_outcome::not_owned : shrink_outcome::unknown,
      .message = known ? "this router did not launch it" : "no replica is called " + replica_name,
      .capacity = capacity()};
}

caf::result<pool_view> supervisor_state::view() {
  auto answer = self_->make_response_promise<pool_view>();
  self_->request(router_, caf::infinite, health_atom_v)
      .then(
          [this, answer](fleet_view& all) mutable {
            answer.deliver(pool_view{std::move(all.replicas), capacity()});
          },
          [answer](caf::error& why) mutable { answer.deliver(std::move(why)); });
  return answer;
}

void supervisor_state::hear(const phase_report& report) {
  const auto found = members_.find(report.instance);
  if (found != members_.end())
    found->second.known = report.now;
}

void supervisor_state::lost(instance_id id, std::string& reason) {
  const auto found = members_.find(id);
  if (found != members_.end() && found->second.actor)
    self_->send(found->second.actor, lost_atom_v, std::move(reason));
}

void supervisor_state::actor_died(const caf::down_msg& death) {
  if (death.reason == caf::exit_reason::user_shutdown)
    return;
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& x) {
    return x.second.actor && x.second.actor.address() == death.source;
  });
  const bool ours = found != members_.end();
  const char* who = ours                                ? replica_state::name
                    : death.source == router_.address() ? "router"
                                                        : "prober";
  log_->error("actor_died", {{"actor", who},
                             {"replica", ours ? found->second.spec.name : ""},
                             {"reason", to_string(death.reason)}});
  if (!ours)
    return;
  found->second.actor = nullptr;
  self_->delayed_send(self_, revival_pause, revive_atom_v, found->first);
}

void supervisor_state::revive(instance_id id) {
  const auto found = members_.find(id);
  if (found != members_.end() && !found->second.actor)
    watch(id, found->second);
}

void supervisor_state::exit(const caf::error& reason) {
  for (const auto& [_, m] : members_) {
    if (m.actor)
      self_->send_exit(m.actor, caf::exit_reason::user_shutdown);
  }
  self_->quit(reason);
}

}  // namespace fleet
