// SPDX-License-Identifier: MIT
// Devices, commands and the disk. See judge_turns.cpp, judge_losses.cpp and judge_look.cpp.
#include "sim/world/judge.hpp"

#include <utility>

namespace fleet::sim {

judge::judge(const shape& made_of) : made_of_(made_of) {
  for (const auto& x : made_of.slots) {
    index_[x.name] = facts_.size();
    ports_[x.port] = facts_.size();
    facts_.push_back({.name = x.name});
  }
  for (const auto& x : made_of.statics) {
    ports_[x.where.port] = facts_.size();
    facts_.push_back({.name = x.name});
  }
}

void judge::blame(moment now, const char* rule, std::string detail) {
  if (!found_ && rule != overlooked_)
    found_ = violation{now, rule, std::move(detail)};
}

judge::facts* judge::by_port(std::uint16_t port) {
  const auto found = ports_.find(port);
  return found == ports_.end() ? nullptr : &facts_[found->second];
}

void judge::forget_health(facts& f) {
  f.ready_since = f.down_since = f.up_since = f.lost_at = f.leaving_since = std::nullopt;
  f.streak_since.reset();
  f.good_in_row = f.bad_in_row = 0;
  f.was_ready = f.wished_away = f.unwanted = f.stable = f.doomed = f.end_heard = f.gone = false;
}

// -- the router comes and goes ----------------------------------------------

void judge::life_begins(moment now) {
  born_ = now;
  initial_ = made_of_.launch.initial_replicas;
  for (auto& f : facts_) {
    forget_health(f);
    f.launch_open = f.stop_open = f.replacement = f.abandoned = f.unsure = false;
    f.said_gone = f.relaunch_due = std::nullopt;
    f.writes = 0;
    f.newest = {};
    f.listed = false;
    f.inherited = f.looked_for = file_->contains(f.name);
    // What is recorded may be there, launched or not.
    if (f.inherited) {
      f.may_hold = true;
      f.instance = file_->at(f.name).process.instance;
      instances_[f.instance] = index_.at(f.name);
    }
    f.losses = 0;
  }
}

void judge::closing(moment now) {
  if (!closing_since_)
    closing_since_ = now;
  for (auto& f : facts_)
    f.relaunch_due.reset();
}

void judge::life_ends() {
  calls_.clear();
  in_flight_.clear();
  closing_since_.reset();
}

// -- machines and commands --------------------------------------------------

void judge::process_started(moment now, const std::string& slot, const std::string& instance) {
  auto& f = at(slot);
  if (!f.live.empty())
    blame(now, rules::one_process, slot + ": " + instance + " beside " + *f.live.begin());
  f.live.insert(instance);
  occupied_.insert(index_.at(slot));
  if (made_of_.journal && !file_->contains(slot))
    blame(now, rules::listed, slot + ": " + instance + " runs and is not on the disk");
}

void judge::process_ended(const std::string& slot, const std::string& instance) {
  auto& f = at(slot);
  f.live.erase(instance);
  if (f.live.empty())
    occupied_.erase(index_.at(slot));
}

void judge::launch_ordered(moment now, const std::string& slot, const std::string& instance) {
  auto& f = at(slot);
  if (!f.live.empty())
    blame(now, rules::held_device, slot + ": " + *f.live.begin() + " is alive there");
  else if (f.may_hold)
    blame(now, rules::held_device, slot + ": nobody confirmed the end of " + f.instance);
  if (made_of_.journal) {
    const auto record = file_->find(slot);
    if (record == file_->end() || record->second.process.instance != instance)
      blame(now, rules::record_first, slot + ": " + instance);
  }
  judge_launch(now, f);
  forget_health(f);
  f.wished_away = open(call::shrink, slot);
  f.instance = instance;
  f.may_hold = f.launch_open = true;
  f.said_gone.reset();
  instances_[instance] = index_.at(slot);
}

void judge::launch_answered(moment now, const launch_result& result) {
  auto& f = facts_[instances_.at(result.process.instance)];
  f.launch_open = false;
  if (result.started || result.may_be_running)
    return;
  f.may_hold = false;
  count_loss(now, f);
}

void judge::stop_ordered(moment now, const std::string& slot, const std::string& instance) {
  auto& f = at(slot);
  if (f.instance != instance)
    blame(now, rules::held_device, slot + ": a stop of " + instance + ", not of " + f.instance);
  judge_stop(now, f);
  f.stop_open = true;
  f.said_gone.reset();
  if (!f.leaving_since)
    f.leaving_since = now;
  f.up_since.reset();
}

void judge::stop_answered(moment now, const std::string& instance, bool stopped) {
  auto& f = facts_[instances_.at(instance)];
  f.stop_open = false;
  if (stopped)
    f.said_gone = now;
}

// The stop succeeded and then the address was silent.
void judge::confirmed(moment now, facts& f) {
  f.may_hold = false;
  f.said_gone.reset();
  count_loss(now, f);
}

void judge::disk_changed(moment now, const std::string& slot, const state_file& file) {
  if (!file.contains(slot) && open(call::release, slot))
    released(slot);
  const auto& f = at(slot);
  if (!f.live.empty() && !file.contains(slot))
    blame(now, rules::listed, slot + ": " + *f.live.begin() + " was erased from the disk");
}

// -- operators --------------------------------------------------------------

std::uint64_t judge::asked(moment now, call what, const std::string& about) {
  if (what == call::grow)
    last_grow_ = now;
  calls_[++last_call_] = {what, about, now};
  return last_call_;
}

void judge::answered(std::uint64_t id) {
  calls_.erase(id);
}

// A replica that was ready has to drain from now on.
void judge::shrinks(moment now, const std::string& slot) {
  auto& f = at(slot);
  f.wished_away = true;
  f.unwanted = f.unwanted || f.looked_for;
  f.relaunch_due.reset();
  if (f.ready_since && !f.leaving_since) {
    f.leaving_since = now;
    f.up_since.reset();
  }
}

// What it asked for did not happen: it was not there, or it can not be stopped.
void judge::shrunk(const std::string& slot, shrink_outcome how) {
  if (how != shrink_outcome::stopped)
    at(slot).wished_away = at(slot).unwanted || open(call::shrink, slot);
}

void judge::grown(moment now, const grow_answer& answer) {
  const bool full =
      answer.outcome == grow_outcome::pool_full || answer.outcome == grow_outcome::at_ceiling;
  if (full && !answer.capacity.free_slots.empty())
    blame(now, rules::one_answer, "a grow is refused while a slot is offered as free");
}

void judge::released(const std::string& slot) {
  auto& f = at(slot);
  f.may_hold = false;
  f.said_gone.reset();
  f.losses = 0;
  f.relaunch_due.reset();
}

}  // namespace fleet::sim
