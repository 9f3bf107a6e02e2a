// SPDX-License-Identifier: MIT
#include "fleet/core/pool_table.hpp"

#include <algorithm>
#include <utility>

namespace fleet {

pool_table::pool_table(std::vector<std::string> names, std::size_t ceiling)
    : ceiling_(std::min(ceiling, names.size())) {
  for (auto& x : names)
    entries_.push_back({.name = std::move(x)});
}

pool_table::choice pool_table::choose(const std::string& wanted) const {
  const auto named = find(wanted);
  if (!wanted.empty() && !named)
    return {grow_outcome::unknown_slot};
  if (named && stage(*named) != slot_stage::free)
    return {grow_outcome::slot_not_free};
  const auto free = std::find_if(entries_.begin(), entries_.end(),
                                 [](const entry& e) { return e.stage == slot_stage::free; });
  if (free == entries_.end())
    return {grow_outcome::pool_full};
  if (at_ceiling())
    return {grow_outcome::at_ceiling};
  return {grow_outcome::accepted,
          named.value_or(static_cast<std::size_t>(free - entries_.begin()))};
}

std::optional<std::size_t> pool_table::find(const std::string& name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const entry& e) { return e.name == name; });
  if (found == entries_.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - entries_.begin());
}

void pool_table::set(std::size_t slot, slot_stage stage, std::string reason, std::string detail,
                     std::chrono::nanoseconds now) {
  if (slot >= entries_.size())
    return;
  auto& e = entries_[slot];
  e.stage = stage;
  e.reason = std::move(reason);
  e.detail = std::move(detail);
  e.since = now;
}

capacity_view pool_table::view(std::chrono::nanoseconds now) const {
  capacity_view all{.ceiling = ceiling_};
  const bool full = at_ceiling();
  for (const auto& e : entries_) {
    all.owned += in_use(e.stage) ? 1 : 0;
    if (e.stage == slot_stage::free && !full)
      all.free_slots.push_back(e.name);
    if (e.stage == slot_stage::unconfirmed)
      all.unconfirmed.push_back({e.name, e.reason, e.detail, now - e.since});
    if (e.stage == slot_stage::free && !e.detail.empty())
      all.failed_launches.push_back({e.name, e.detail, now - e.since});
  }
  return all;
}

// An unconfirmed slot counts: its devices may be held, and the ceiling is about devices.
bool pool_table::at_ceiling() const {
  const auto held = std::count_if(entries_.begin(), entries_.end(),
                                  [](const entry& e) { return e.stage != slot_stage::free; });
  return static_cast<std::size_t>(held) >= ceiling_;
}

}  // namespace fleet
