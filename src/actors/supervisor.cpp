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

constexpr const char* shutting_down = "the router is shutting down";

}  // namespace

supervisor_actor::behavior_type supervisor(supervisor_state::pointer self, const fleet_plan& plan,
                                           const router_actor& router, logger* log) {
  return self->state.start(plan, router, *log);
}

supervisor_actor::behavior_type supervisor_state::start(fleet_plan plan, router_actor router,
                                                        logger& log) {
  settings_ = plan.routing;
  launch_ = plan.launch;
  router_ = std::move(router);
  prober_ = plan.prober;
  commander_ = plan.commander;
  journal_ = plan.journal;
  mint_instance_ = plan.mint_instance;
  log_ = &log;
  self_->set_down_handler([this](const caf::down_msg& death) { actor_died(death); });
  self_->set_exit_handler([this](const caf::exit_msg& order) { exit(order.reason); });
  self_->monitor(router_);
  self_->monitor(prober_);
  if (journal_)
    self_->monitor(journal_);
  for (auto& spec : plan.statics)
    add(std::move(spec));
  if (commander_) {
    const supervisor_actor me = self_;
    self_->monitor(commander_);
    self_->send(commander_, listen_atom_v, exit_listener_actor(me));
    add_slots(plan);
  }
  take_back(plan);
  return {
      [this](shutdown_atom) { return shutdown(); },
      [this](shutdown_atom, hurry_atom) { return shutdown_now(); },
      [this](grow_atom, const std::string& wanted) { return grow(wanted); },
      [this](shrink_atom, const std::string& replica_name) { return shrink(replica_name); },
      [this](release_atom, const std::string& slot_name) { return release(slot_name); },
      [this](fleet_atom) { return view(); },
      [this](log_atom, log_query& wanted) { return read_log(wanted); },
      [this](capacity_atom) { return capacity(); },
      [this](exited_atom, process_exit& end) { exited(end); },
      [this](slot_atom, slot_report& report) { slot_moved(report); },
      [this](tick_atom) { turns_over(); },
      [this](retry_atom, std::uint64_t slot, std::uint64_t epoch) { retry(slot, epoch); },
      [this](revive_atom, instance_id id) { revive(id); },
      [this](phase_atom, const phase_report& report) { hear(report); },
      [this](lost_atom, instance_id id, std::string& reason) { lost(id, reason); },
  };
}

void supervisor_state::add(replica_spec spec) {
  const instance_id id{++last_instance_};
  const supervisor_actor me = self_;
  self_->send(router_, join_atom_v, id, spec, placement{}, lost_listener_actor(me));
  static_names_.insert(spec.name);
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
  if (slot_died(death))
    return;
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& x) {
    return x.second.actor && x.second.actor.address() == death.source;
  });
  const bool ours = found != members_.end();
  const bool journal = journal_ && death.source == journal_.address();
  const char* who = ours                                ? replica_state::name
                    : journal                           ? "journal"
                    : death.source == router_.address() ? "router"
                    : death.source == prober_.address() ? "prober"
                                                        : "commander";
  log_->error("actor_died", {{"actor", who},
                             {"replica", ours ? found->second.spec.name : ""},
                             {"reason", to_string(death.reason)}});
  if (journal)
    journal_lost();
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

// A promise that dies with its holder is never answered, so all are answered here.
void supervisor_state::exit(const caf::error& reason) {
  for (const auto& [_, m] : members_) {
    if (m.actor)
      self_->send_exit(m.actor, caf::exit_reason::user_shutdown);
  }
  for (auto& s : slots_) {
    self_->send_exit(s.actor, caf::exit_reason::user_shutdown);
    for (auto& x : s.growing)
      x.deliver(grow_answer{.message = shutting_down});
    for (auto& x : s.shrinking)
      x.deliver(shrink_answer{.slot = s.setup.slot.name, .message = shutting_down});
    for (auto& x : s.releasing)
      x.deliver(release_answer{});
  }
  for (auto& [_, held] : undeclared_) {
    for (auto& x : held.releasing)
      x.deliver(release_answer{});
  }
  for (auto& [_, x] : views_)
    x.deliver(pool_view{});
  for (auto& x : closed_to_)
    x.deliver(caf::unit);
  self_->quit(reason);
}

}  // namespace fleet
