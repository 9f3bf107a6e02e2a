// SPDX-License-Identifier: MIT
// The part of the supervisor that takes back what an earlier router recorded: see supervisor.cpp
// for the rest. Contract section 8. Every recorded slot is taken before anything else happens, and
// devices that a record may still hold are never given out.
#include "supervisor.hpp"

#include "fleet/core/host_name.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

namespace {

constexpr const char* undeclared_reason = "no-longer-declared";
constexpr const char* blocked_reason = "devices-held";

std::string list(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const auto each : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
}

// What is known of the place, e.g. "devices 0,1 of n, 127.0.0.1:8001".
std::string place_of(const slot_record& r) {
  return "devices " + list(r.devices) + " of " + r.host + ", " +
         authority({.host = r.address, .port = r.port});
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> devices) {
  std::sort(devices.begin(), devices.end());
  return devices;
}

// What a record does not tell does not differ.
bool same_place(const slot_record& r, const slot_setup& declared) {
  return (r.host.empty() || (r.host == declared.host.name && r.ssh == declared.host.ssh)) &&
         (r.devices.empty() || sorted(r.devices) == sorted(declared.slot.devices)) &&
         (r.address.empty() || r.address == declared.slot.address) &&
         (r.port == 0 || r.port == declared.slot.port);
}

// A host may have been renamed or be reached in another way: one thing in common is enough.
bool overlaps(const slot_record& r, const slot_setup& declared) {
  const auto& slot = declared.slot;
  if (!r.host.empty() && r.host != declared.host.name &&
      !may_be_one_machine({r.ssh, r.address}, {declared.host.ssh, slot.address}))
    return false;
  return r.port == slot.port ||
         std::any_of(slot.devices.begin(), slot.devices.end(), [&](std::uint32_t device) {
           return std::find(r.devices.begin(), r.devices.end(), device) != r.devices.end();
         });
}

}  // namespace

void supervisor_state::take_back(const fleet_plan& plan) {
  std::vector<slot_record> displaced;
  for (const auto& r : plan.recorded) {
    const auto age = r.reason.empty() ? std::chrono::nanoseconds(0) : plan.started_at - r.since;
    const auto found = pool_.find(r.slot);
    if (found && same_place(r, slots_[*found].setup)) {
      adopt(*found, r, age);
      continue;
    }
    displaced.push_back(r);
    auto kept = r;
    kept.reason = undeclared_reason;
    kept.detail = "recorded with " + place_of(r) +
                  (found ? "; the fleet file says otherwise now" : "") +
                  (r.reason.empty() ? "" : "; " + r.reason + ": " + r.detail);
    if (found)
      adopt(*found, kept, age);
    else
      keep_undeclared(std::move(kept), age);
  }
  for (const auto& r : displaced)
    block_neighbours(r);
  if (!plan.recorded.empty() && looked_for_.empty())
    self_->send(router_, adopted_atom_v);
  if (looked_for_.empty())
    top_up();
}

void supervisor_state::adopt(std::size_t index, slot_record found, std::chrono::nanoseconds age) {
  auto& s = slots_[index];
  s.instance = {++last_instance_};
  s.process = found.process.instance;
  pool_.set(index, slot_stage::reserved, {}, {}, now());
  looked_for_.insert(index);
  self_->send(s.actor, adopt_atom_v, s.instance, std::move(found),
              caf::timespan(std::max(age, std::chrono::nanoseconds(0))));
}

void supervisor_state::keep_undeclared(slot_record kept, std::chrono::nanoseconds age) {
  log_->warn("slot_reserved", {{"slot", kept.slot},
                               {"instance", kept.process.instance},
                               {"reason", kept.reason},
                               {"detail", kept.detail}});
  auto slot_name = kept.slot;
  undeclared_[std::move(slot_name)] = {.reason = kept.reason,
                                       .detail = std::move(kept.detail),
                                       .since = now() - std::max(age, std::chrono::nanoseconds(0))};
}

// Those that are in use themselves are blocked once they are free.
void supervisor_state::block_neighbours(const slot_record& r) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (pool_.name(i) == r.slot || !overlaps(r, slots_[i].setup))
      continue;
    blockers_[i].emplace(r.slot, place_of(r));
    if (pool_.stage(i) == slot_stage::free)
      block(i, now());
  }
}

// To its actor the slot is free; that it is not is known here only.
void supervisor_state::block(std::size_t index, std::chrono::nanoseconds since) {
  std::string detail;
  for (const auto& [holder, where] : blockers_.at(index))
    detail +=
        (detail.empty() ? "may be held by " : "; and by ") + holder + ", recorded with " + where;
  log_->warn("slot_reserved",
             {{"slot", pool_.name(index)}, {"reason", blocked_reason}, {"detail", detail}});
  blocked_.insert(index);
  pool_.set(index, slot_stage::unconfirmed, blocked_reason, std::move(detail), since);
}

bool supervisor_state::is_blocked(std::size_t index) const {
  return blocked_.contains(index);
}

// Whatever came of it, the slot has been looked at once.
void supervisor_state::looked_for(std::size_t index) {
  if (looked_for_.erase(index) == 0 || !looked_for_.empty())
    return;
  self_->send(router_, adopted_atom_v);
  top_up();
}

void supervisor_state::top_up() {
  for (auto running = pool_.busy(); running < launch_.initial_replicas && !closing_; ++running) {
    if (const auto next = pool_.choose({}); next.outcome == grow_outcome::accepted)
      take(next.slot);
  }
}

// Nothing is held on this slot any more: those that only waited for that are free as well.
void supervisor_state::unblock(const std::string& slot_name) {
  for (auto next = blockers_.begin(); next != blockers_.end();) {
    const auto each = next++;
    const auto index = each->first;
    if (each->second.erase(slot_name) == 0)
      continue;
    if (!each->second.empty()) {
      if (is_blocked(index))
        block(index, now() - pool_.age(index, now()));
    } else if (is_blocked(index)) {
      release_blocked(index);
    } else {
      blockers_.erase(each);
    }
  }
}

void supervisor_state::release_blocked(std::size_t index) {
  blocked_.erase(index);
  blockers_.erase(index);
  log_->warn("slot_released", {{"slot", pool_.name(index)}});
  pool_.set(index, slot_stage::free, {}, {}, now());
}

caf::result<release_answer> supervisor_state::release_undeclared(const std::string& slot_name) {
  auto& all = undeclared_.at(slot_name).releasing;
  const bool first = all.empty();
  const auto answer = all.emplace_back(self_->make_response_promise<release_answer>());
  if (!journal_)
    undeclared_released(slot_name);
  else if (first)
    self_->request(journal_, caf::infinite, erase_atom_v, slot_name)
        .then([this, slot_name] { undeclared_released(slot_name); },
              [this, slot_name](const caf::error& why) {
                log_->warn("record_failed", {{"slot", slot_name}, {"reason", to_string(why)}});
                undeclared_released(slot_name);
              });
  return answer;
}

void supervisor_state::undeclared_released(const std::string& slot_name) {
  auto node = undeclared_.extract(slot_name);
  if (node.empty())
    return;
  log_->warn("slot_released", {{"slot", slot_name}});
  unblock(slot_name);
  for (auto& x : node.mapped().releasing)
    x.deliver(release_answer{release_outcome::released, capacity()});
}

// An erasure that it had read already dies unanswered with it. What stays on the disk only
// reserves.
void supervisor_state::journal_lost() {
  std::vector<std::string> open;
  for (const auto& [slot_name, held] : undeclared_) {
    if (!held.releasing.empty())
      open.push_back(slot_name);
  }
  for (const auto& slot_name : open)
    undeclared_released(slot_name);
}

void supervisor_state::add_undeclared(capacity_view& to) const {
  for (const auto& [slot_name, held] : undeclared_)
    to.unconfirmed.push_back({slot_name, held.reason, held.detail, now() - held.since});
}

}  // namespace fleet
