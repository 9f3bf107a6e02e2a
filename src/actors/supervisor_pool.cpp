// SPDX-License-Identifier: MIT
// The part of the supervisor that launches, stops and ends: see supervisor.cpp for the members.
#include "supervisor.hpp"

#include "fleet/core/command.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

namespace {

std::string why_not(grow_outcome outcome, const std::string& wanted) {
  switch (outcome) {
    case grow_outcome::unknown_slot:
      return "no slot is called " + wanted;
    case grow_outcome::slot_not_free:
      return "slot " + wanted + " is not free";
    case grow_outcome::at_ceiling:
      return "as many replicas as --max-replicas allows";
    default:
      return "no slot is free";
  }
}

}  // namespace

void supervisor_state::add_slots(const fleet_plan& plan) {
  std::vector<std::string> names;
  const supervisor_actor me = self_;
  for (const auto& x : plan.slots) {
    const auto& host = plan.hosts.at(x.host);
    names.push_back(x.name);
    slots_.push_back({.setup = {.index = slots_.size(),
                                .host = host,
                                .slot = x,
                                .spec = {x.name, {.host = x.address, .port = x.port}},
                                .place = {.slot = x.name,
                                          .devices = x.devices,
                                          .host = host.name,
                                          .log = log_path(host, x)},
                                .routing = settings_,
                                .launch = plan.launch,
                                .router = router_,
                                .prober = prober_,
                                .commander = commander_,
                                .journal = plan.journal,
                                .listener = me,
                                .log = log_},
                      .losses = loss_policy({.replace_after = launch_.replace_after,
                                             .stable_after = launch_.stable_after})});
    spawn_slot(slots_.back().setup.index, slots_.back().setup);
  }
  pool_ = pool_table(std::move(names), plan.launch.ceiling);
}

void supervisor_state::spawn_slot(std::size_t index, slot_setup setup) {
  auto& s = slots_[index];
  s.actor = self_->spawn<caf::monitored>(slot, std::move(setup));
  slot_of_[s.actor.address()] = index;
}

// The slot counts as taken from here on, before its actor has heard of it.
void supervisor_state::launch(std::size_t index) {
  auto& s = slots_[index];
  s.instance = {++last_instance_};
  s.process = mint_instance_();
  pool_.set(index, slot_stage::reserved, {}, {}, now());
  self_->send(s.actor, launch_atom_v, s.instance, s.process);
}

// -- an operator's wishes ---------------------------------------------------

caf::result<grow_answer> supervisor_state::grow(const std::string& wanted) {
  if (closing_)
    return grow_answer{.message = "the router is shutting down", .capacity = capacity()};
  const auto choice = pool_.choose(wanted);
  if (choice.outcome != grow_outcome::accepted)
    return grow_answer{.outcome = choice.outcome,
                       .message = why_not(choice.outcome, wanted),
                       .capacity = capacity()};
  take(choice.slot);
  slots_[choice.slot].growing.push_back(self_->make_response_promise<grow_answer>());
  return slots_[choice.slot].growing.back();
}

caf::result<shrink_answer> supervisor_state::shrink(const std::string& replica_name) {
  const auto found = pool_.find(replica_name);
  if (found && cancel_wait(*found))
    return settled(*found, true);
  if (found && pool_.stage(*found) == slot_stage::unconfirmed)
    return settled(*found, false);
  if (found && in_use(pool_.stage(*found))) {
    auto& s = slots_[*found];
    retire_for_good(*found);
    s.shrinking.push_back(self_->make_response_promise<shrink_answer>());
    return s.shrinking.back();
  }
  const bool known = static_names_.contains(replica_name);
  return shrink_answer{.outcome = known ? shrink_outcome::not_owned : shrink_outcome::unknown,
                       .message = known ? replica_name + " was not launched by this router"
                                        : "no replica is called " + replica_name,
                       .capacity = capacity()};
}

caf::result<release_answer> supervisor_state::release(const std::string& slot_name) {
  const auto found = pool_.find(slot_name);
  if (undeclared_.contains(slot_name))
    return release_undeclared(slot_name);
  if (!found)
    return release_answer{release_outcome::unknown, capacity()};
  if (pool_.stage(*found) != slot_stage::unconfirmed)
    return release_answer{release_outcome::not_unconfirmed, capacity()};
  if (is_blocked(*found)) {
    release_blocked(*found);
    return release_answer{release_outcome::released, capacity()};
  }
  auto& s = slots_[*found];
  self_->send(s.actor, release_atom_v);
  s.releasing.push_back(self_->make_response_promise<release_answer>());
  return s.releasing.back();
}

caf::result<pool_view> supervisor_state::view() {
  auto answer = self_->make_response_promise<pool_view>();
  const auto id = ++last_view_;
  views_.emplace(id, answer);
  self_->request(router_, caf::infinite, health_atom_v)
      .then(
          [this, id](fleet_view& all) {
            auto node = views_.extract(id);
            const fleet_totals totals{.sessions = all.sessions,
                                      .routed = all.routed,
                                      .affinity_hits = all.affinity_hits,
                                      .rejected = all.rejected};
            node.mapped().deliver(
                pool_view{std::move(all.replicas), capacity(), slot_views(), totals});
          },
          [this, id](const caf::error& why) {
            auto node = views_.extract(id);
            node.mapped().deliver(why);
          });
  return answer;
}

std::vector<slot_view> supervisor_state::slot_views() const {
  constexpr std::chrono::nanoseconds none{0};
  std::vector<slot_view> all;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& setup = slots_[i].setup;
    const auto age = pool_.age(i, now());
    const bool drains = pool_.stage(i) == slot_stage::draining;
    all.push_back({.slot = setup.slot,
                   .host = setup.host.name,
                   .log = setup.place.log,
                   .now = pool_.stage(i),
                   .reason = pool_.reason(i),
                   .detail = pool_.detail(i),
                   .since = age,
                   .drain_left = drains ? std::max(launch_.drain_timeout - age, none) : none});
  }
  return all;
}

caf::result<log_answer> supervisor_state::read_log(log_query& wanted) {
  const auto found = pool_.find(wanted.slot);
  if (!found || *found >= slots_.size())
    return log_answer{.outcome = log_outcome::unknown};
  return self_->delegate(slots_[*found].actor, log_atom_v, std::move(wanted));
}

// -- what slots tell --------------------------------------------------------

void supervisor_state::exited(process_exit& end) {
  if (const auto found = pool_.find(end.slot))
    self_->send(slots_[*found].actor, exited_atom_v, std::move(end));
}

void supervisor_state::slot_moved(slot_report& report) {
  const auto index = static_cast<std::size_t>(report.slot);
  pool_.set(index, report.now, report.reason, report.detail, now() - report.age);
  follow(index, report);
  if (report.now != slot_stage::reserved)
    looked_for(index);
  if (report.now == slot_stage::free) {
    unblock(pool_.name(index));
    if (blockers_.contains(index))
      block(index, now());
  }
  if (report.now == slot_stage::loading) {
    for (auto& x : std::exchange(slots_[index].growing, {}))
      x.deliver(launched(slots_[index]));
  }
  if (!in_use(report.now))
    answer_settled(index, report.now == slot_stage::free);
  if (report.now != slot_stage::unconfirmed)
    answer_released(index);
  close_if_done();
}

grow_answer supervisor_state::launched(const slot_member& s) const {
  return {.outcome = grow_outcome::accepted,
          .replica = {.instance = s.instance,
                      .name = s.setup.spec.name,
                      .url = url(s.setup.spec.where),
                      .owned = true,
                      .place = s.setup.place},
          .capacity = capacity()};
}

// It is free or unconfirmed: whoever waited for that gets the same answer.
void supervisor_state::answer_settled(std::size_t index, bool free) {
  auto& s = slots_[index];
  for (auto& x : std::exchange(s.growing, {}))
    x.deliver(grow_answer{.outcome = grow_outcome::launch_failed,
                          .message = pool_.detail(index),
                          .capacity = capacity()});
  // What an operator called off has not failed.
  if (!s.shrinking.empty() && pool_.stage(index) == slot_stage::free)
    pool_.set(index, slot_stage::free, {}, {}, now());
  for (auto& x : std::exchange(s.shrinking, {}))
    x.deliver(settled(index, free));
}

// One that was adopted before it heard of its release has nothing to release any more.
void supervisor_state::answer_released(std::size_t index) {
  const auto outcome =
      in_use(pool_.stage(index)) ? release_outcome::not_unconfirmed : release_outcome::released;
  for (auto& x : std::exchange(slots_[index].releasing, {}))
    x.deliver(release_answer{outcome, capacity()});
}

shrink_answer supervisor_state::settled(std::size_t index, bool free) const {
  return {.outcome = free ? shrink_outcome::stopped : shrink_outcome::unconfirmed,
          .slot = pool_.name(index),
          .reason = free ? "" : pool_.reason(index),
          .message = free ? "" : pool_.detail(index),
          .capacity = capacity()};
}

// What it knew of the devices is lost, so they may be held. Of one that is kept back for another's
// sake it knew nothing: to its actor that is free.
bool supervisor_state::slot_died(const caf::down_msg& death) {
  const auto found = slot_of_.extract(death.source);
  if (found.empty())
    return false;
  const auto index = found.mapped();
  auto setup = slots_[index].setup;
  log_->error("actor_died", {{"actor", slot_state::name},
                             {"slot", pool_.name(index)},
                             {"reason", to_string(death.reason)}});
  hide(index);
  slot_report last{.slot = index,
                   .instance = slots_[index].instance,
                   .now = slot_stage::unconfirmed,
                   .reason = "stop-unconfirmed",
                   .detail = "its actor died"};
  const auto stage = pool_.stage(index);
  const bool held = in_use(stage) || (stage == last.now && !is_blocked(index));
  if (held)
    setup.known = last.now;
  spawn_slot(index, std::move(setup));
  if (held)
    slot_moved(last);
  if (const auto& s = slots_[index]; !s.releasing.empty())
    self_->send(s.actor, release_atom_v);
  return true;
}

// -- the end ----------------------------------------------------------------

caf::result<void> supervisor_state::shutdown() {
  close();
  return closed();
}

caf::result<void> supervisor_state::shutdown_now() {
  close();
  for (const auto& s : slots_)
    self_->send(s.actor, hurry_atom_v, s.instance);
  turns_over();
  return closed();
}

void supervisor_state::close() {
  if (std::exchange(closing_, true))
    return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    // What is unconfirmed may answer and be adopted yet.
    const bool held = in_use(pool_.stage(i)) || pool_.stage(i) == slot_stage::unconfirmed;
    if (!cancel_wait(i) && held)
      retire_for_good(i);
  }
  self_->request(router_, caf::infinite, quiesce_atom_v)
      .then([this] { turns_over(); }, [this](const caf::error&) { turns_over(); });
  self_->delayed_send(self_, launch_.drain_timeout, tick_atom_v);
}

void supervisor_state::turns_over() {
  turns_over_ = true;
  close_if_done();
}

caf::result<void> supervisor_state::closed() {
  closed_to_.push_back(self_->make_response_promise());
  close_if_done();
  return caf::delegated<void>{};
}

void supervisor_state::close_if_done() {
  if (!turns_over_ || pool_.busy() != 0)
    return;
  for (auto& x : std::exchange(closed_to_, {}))
    x.deliver(caf::unit);
}

std::chrono::nanoseconds supervisor_state::now() const {
  return self_->clock().now().time_since_epoch();
}

}  // namespace fleet
