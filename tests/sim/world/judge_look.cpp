// SPDX-License-Identifier: MIT
// What the router shows of itself, against what is.
#include "sim/world/judge.hpp"

#include <algorithm>

namespace fleet::sim {

namespace {

constexpr duration command_limit = 120s;

template <class List>
bool names(const List& list, const std::string& slot) {
  return std::any_of(list.begin(), list.end(), [&](const auto& x) { return x.slot == slot; });
}

const replica_view* replica_on(const pool_view& seen, const std::string& slot) {
  const auto found = std::find_if(seen.replicas.begin(), seen.replicas.end(),
                                  [&](const replica_view& x) { return x.place.slot == slot; });
  return found == seen.replicas.end() ? nullptr : &*found;
}

bool is_free(const pool_view& seen, const std::string& slot) {
  const auto& free = seen.capacity.free_slots;
  return std::find(free.begin(), free.end(), slot) != free.end();
}

bool waits(const pool_view& seen, const std::string& slot) {
  return std::any_of(seen.capacity.replacing.begin(), seen.capacity.replacing.end(),
                     [&](const replacing_slot& x) { return x.slot == slot && x.retry_in > 0s; });
}

}  // namespace

void judge::look(moment now, const pool_view& seen) {
  look_at_calls(now);
  look_at_slots(now, seen);
  look_at_counts(now, seen);
  look_at_losses(now, seen);
}

// As long as the slowest way takes: every command at its limit, a whole drain, a full grace.
duration judge::slack() const {
  return 4 * command_limit + made_of_.launch.drain_timeout + 3 * made_of_.launch.stop_grace;
}

void judge::look_at_calls(moment now) {
  for (const auto& [_, x] : calls_) {
    if (now - x.asked > slack())
      blame(now, rules::one_answer, "no answer to a call about '" + x.about + "'");
  }
}

void judge::look_at_slots(moment now, const pool_view& seen) {
  for (const auto i : occupied_) {
    auto& f = facts_[i];
    const bool offered =
        is_free(seen, f.name) || names(seen.capacity.abandoned, f.name) || waits(seen, f.name);
    const bool shown =
        replica_on(seen, f.name) != nullptr || names(seen.capacity.unconfirmed, f.name);
    f.listed = f.listed || shown;
    // One that is taken back is looked for first.
    const bool looked_for = !f.listed && f.inherited && now - born_ < slack();
    const bool moving = f.launch_open || f.stop_open || f.said_gone || f.writes > 0 || looked_for;
    if (offered || !(shown || moving))
      blame(now, rules::listed, f.name + ": " + *f.live.begin());
  }
  for (const auto& x : seen.capacity.free_slots) {
    if (at(x).may_hold)
      blame(now, rules::held_device, x + ": offered as free");
  }
  unconfirmed_.clear();
  for (const auto& x : seen.capacity.unconfirmed) {
    unconfirmed_.insert(x.slot);
    const bool recorded = made_of_.journal && file_->contains(x.slot);
    const bool from_before = x.reason != "stop-unconfirmed";
    const bool going = open(call::release, x.slot);
    if (!going && (from_before ? !recorded : !at(x.slot).may_hold))
      blame(now, rules::true_reason, x.slot + ": " + x.reason);
  }
}

void judge::look_at_counts(moment now, const pool_view& seen) {
  for (const auto& x : seen.replicas) {
    const auto found = in_flight_.find(x.instance);
    const auto true_count = found == in_flight_.end() ? 0 : found->second;
    if (true_count < 0 || x.outstanding != static_cast<std::uint64_t>(true_count))
      blame(now, rules::counts,
            x.name + ": " + std::to_string(x.outstanding) + " instead of " +
                std::to_string(true_count));
  }
}

std::optional<std::string> judge::unrest(const pool_view& seen) const {
  if (!calls_.empty())
    return "a call is open";
  if (!seen.capacity.replacing.empty())
    return seen.capacity.replacing.front().slot + " is being replaced";
  for (const auto& x : seen.replicas) {
    if (!x.ready || x.draining)
      return x.name + " is " + to_string(x.now);
    if (x.owned && at(x.place.slot).live.empty())
      return x.name + " is not there";
    if (x.outstanding != 0)
      return x.name + " has turns in flight";
  }
  for (const auto& f : facts_) {
    const bool due = f.relaunch_due && replica_on(seen, f.name) == nullptr;
    if (due)
      return f.name + " lost its replica and gets no other";
  }
  return std::nullopt;
}

void judge::shut_down(moment now, const state_file& file) {
  for (const auto i : occupied_) {
    if (!facts_[i].may_hold || facts_[i].stop_open || facts_[i].launch_open)
      blame(now, rules::clean_end, facts_[i].name + " still runs");
    else if (made_of_.journal && !file.contains(facts_[i].name))
      blame(now, rules::clean_end, facts_[i].name + " still runs and is not recorded");
  }
}

}  // namespace fleet::sim
