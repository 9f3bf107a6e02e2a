// SPDX-License-Identifier: MIT
// The part of the supervisor that follows losses: core/loss_policy decides, this hears and acts.
#include "supervisor.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

namespace fleet {

namespace {

std::string seconds(std::chrono::nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::chrono::duration<double>(time).count());
  return text.data();
}

}  // namespace

// -- what slots tell --------------------------------------------------------

void supervisor_state::follow(std::size_t index, const slot_report& report) {
  if (report.now == slot_stage::loading || report.now == slot_stage::serving)
    slots_[index].shown = report.instance;
  if (report.now == slot_stage::serving)
    phase_changed(index, report);
  else if (report.now == slot_stage::free || report.now == slot_stage::unconfirmed)
    ended(index, report);
}

void supervisor_state::phase_changed(std::size_t index, const slot_report& report) {
  auto& s = slots_[index];
  const bool ready = report.health == phase::ready;
  if (!(ready ? s.losses.ready(now()) : s.losses.unroutable(now())))
    return;
  arm(index);
  if (ready)
    return;
  s.reason = report.reason;
  s.last_loss = report.detail.empty() ? report.reason : report.detail;
  log_->warn("replica_unroutable", {{"slot", pool_.name(index)},
                                    {"instance", s.process},
                                    {"losses", std::to_string(s.losses.losses())},
                                    {"replacement_due_in", seconds(launch_.replace_after)},
                                    {"reason", s.reason}});
}

void supervisor_state::ended(std::size_t index, const slot_report& report) {
  auto& s = slots_[index];
  if (!report.detail.empty())
    s.last_loss = report.detail;
  // Nothing follows where a record may hold the devices, too.
  s.losses.ended(report.now == slot_stage::free && !blockers_.contains(index), now());
  arm(index);
  if (s.losses.stage() == loss_stage::waiting)
    await_replacement(index);
  else if (s.losses.stage() == loss_stage::abandoned)
    abandon(index);
  else
    hide(index);
}

// It stays in the router's table, as failed, until the next one joins.
void supervisor_state::await_replacement(std::size_t index) {
  auto& s = slots_[index];
  pool_.set(index, slot_stage::waiting, {}, {}, now());
  self_->send(router_, phase_atom_v,
              phase_report{.instance = s.shown,
                           .now = phase::failed,
                           .probed = true,
                           .reason = "awaiting its replacement: " + s.reason});
  log_->warn("replacement_waits", {{"slot", pool_.name(index)},
                                   {"instance", s.process},
                                   {"losses", std::to_string(s.losses.losses())},
                                   {"wait", seconds(wait_after(s.losses.losses()))},
                                   {"reason", s.last_loss}});
}

void supervisor_state::abandon(std::size_t index) {
  const auto& s = slots_[index];
  pool_.set(index, slot_stage::abandoned, {}, s.last_loss, now());
  hide(index);
  log_->error("slot_abandoned", {{"slot", pool_.name(index)},
                                 {"instance", s.process},
                                 {"losses", std::to_string(s.losses.losses())},
                                 {"reason", s.last_loss}});
}

// -- what is due ------------------------------------------------------------

void supervisor_state::retry(std::uint64_t slot, std::uint64_t epoch) {
  const auto index = static_cast<std::size_t>(slot);
  auto& s = slots_[index];
  if (epoch != s.epoch)
    return;
  switch (s.losses.tick(now())) {
    case loss_policy::wish::retire:
      log_->warn("replica_lost", {{"slot", pool_.name(index)},
                                  {"instance", s.process},
                                  {"losses", std::to_string(s.losses.losses() + 1)},
                                  {"reason", s.reason}});
      self_->send(s.actor, stop_atom_v, s.instance);
      break;
    case loss_policy::wish::launch:
      s.reason = "the last one did not get ready";
      launch(index);
      log_->info("replacing", {{"slot", pool_.name(index)},
                               {"instance", s.process},
                               {"losses", std::to_string(s.losses.losses())}});
      break;
    case loss_policy::wish::nothing:
      break;
  }
}

void supervisor_state::arm(std::size_t index) {
  auto& s = slots_[index];
  ++s.epoch;
  if (const auto due = s.losses.due())
    self_->delayed_send(self_, std::max(*due - now(), std::chrono::nanoseconds(0)), retry_atom_v,
                        static_cast<std::uint64_t>(index), s.epoch);
}

// -- what somebody wants ----------------------------------------------------

// A first launch, whatever was before.
void supervisor_state::take(std::size_t index) {
  if (pool_.stage(index) == slot_stage::waiting)
    say_cancelled(index);
  slots_[index].losses.launched();
  arm(index);
  launch(index);
}

void supervisor_state::retire_for_good(std::size_t index) {
  auto& s = slots_[index];
  s.losses.stop();
  arm(index);
  self_->send(s.actor, stop_atom_v, s.instance);
}

// False when it does not wait.
bool supervisor_state::cancel_wait(std::size_t index) {
  if (pool_.stage(index) != slot_stage::waiting)
    return false;
  say_cancelled(index);
  slots_[index].losses.stop();
  arm(index);
  pool_.set(index, slot_stage::free, {}, {}, now());
  hide(index);
  return true;
}

void supervisor_state::say_cancelled(std::size_t index) {
  const auto& s = slots_[index];
  log_->info("replacement_cancelled", {{"slot", pool_.name(index)},
                                       {"instance", s.process},
                                       {"losses", std::to_string(s.losses.losses())}});
}

void supervisor_state::hide(std::size_t index) {
  if (const auto id = std::exchange(slots_[index].shown, {}); id.value != 0)
    self_->send(router_, leave_atom_v, id);
}

// -- views ------------------------------------------------------------------

capacity_view supervisor_state::capacity() const {
  auto all = pool_.view(now());
  add_undeclared(all);
  for (auto& x : all.abandoned)
    x.losses = slots_[*pool_.find(x.slot)].losses.losses();
  for (const auto& s : slots_) {
    if (s.losses.attempt() == 0)
      continue;
    const auto due = s.losses.due().value_or(now());
    all.replacing.push_back({.slot = s.setup.slot.name,
                             .attempt = s.losses.attempt(),
                             .detail = s.last_loss,
                             .retry_in = std::max(due - now(), std::chrono::nanoseconds(0))});
  }
  return all;
}

}  // namespace fleet
