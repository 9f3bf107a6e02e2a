// SPDX-License-Identifier: MIT
#include "fleet/core/pool_table.hpp"

#include <algorithm>
#include <utility>

namespace fleet {

pool_table::pool_table(std::vector<std::string> names, std::size_t ceiling)
    : ceiling_(std::min(ceiling, names.size())) {
  for (auto& x : names) {
    in(slot_stage::free).insert(entries_.size());
    by_name_.emplace(x, entries_.size());
    entries_.push_back({.name = std::move(x)});
  }
}

pool_table::choice pool_table::choose(const std::string& wanted) const {
  if (wanted.empty())
    return choose_any();
  const auto named = find(wanted);
  return named ? choose_named(*named) : choice{grow_outcome::unknown_slot};
}

pool_table::choice pool_table::choose_any() const {
  const bool full = at_ceiling();
  for (const auto stage : {slot_stage::free, slot_stage::abandoned, slot_stage::waiting}) {
    if (!in(stage).empty() && (stage == slot_stage::waiting || !full))
      return {grow_outcome::accepted, *in(stage).begin()};
  }
  const bool none = in(slot_stage::free).empty() && in(slot_stage::abandoned).empty();
  return {none ? grow_outcome::pool_full : grow_outcome::at_ceiling};
}

pool_table::choice pool_table::choose_named(std::size_t slot) const {
  if (!may_move(stage(slot), slot_stage::reserved))
    return {grow_outcome::slot_not_free};
  if (stage(slot) != slot_stage::waiting && at_ceiling())
    return {grow_outcome::at_ceiling};
  return {grow_outcome::accepted, slot};
}

std::optional<std::size_t> pool_table::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end())
    return std::nullopt;
  return found->second;
}

std::size_t pool_table::busy() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < slot_stages; ++i)
    count += in_use(static_cast<slot_stage>(i)) ? by_stage_.at(i).size() : 0;
  return count;
}

void pool_table::set(std::size_t slot, slot_stage stage, std::string reason, std::string detail,
                     std::chrono::nanoseconds now) {
  if (slot >= entries_.size())
    return;
  auto& e = entries_[slot];
  in(e.stage).erase(slot);
  in(stage).insert(slot);
  e.stage = stage;
  e.reason = std::move(reason);
  e.detail = std::move(detail);
  e.since = now;
}

capacity_view pool_table::view(std::chrono::nanoseconds now) const {
  capacity_view all{.owned = busy() + in(slot_stage::waiting).size(), .ceiling = ceiling_};
  if (!at_ceiling()) {
    for (const auto stage : {slot_stage::free, slot_stage::abandoned}) {
      for (const auto slot : in(stage))
        all.free_slots.push_back(name(slot));
    }
  }
  for (const auto slot : in(slot_stage::free)) {
    if (const auto& e = entries_[slot]; !e.detail.empty())
      all.failed_launches.push_back({e.name, e.detail, now - e.since});
  }
  for (const auto slot : in(slot_stage::unconfirmed)) {
    const auto& e = entries_[slot];
    all.unconfirmed.push_back({e.name, e.reason, e.detail, now - e.since});
  }
  for (const auto slot : in(slot_stage::abandoned)) {
    const auto& e = entries_[slot];
    all.abandoned.push_back({.slot = e.name, .detail = e.detail, .since = now - e.since});
  }
  return all;
}

// What may be held counts, and what is promised: the ceiling is about devices.
bool pool_table::at_ceiling() const {
  const auto open = in(slot_stage::free).size() + in(slot_stage::abandoned).size();
  return entries_.size() - open >= ceiling_;
}

}  // namespace fleet
