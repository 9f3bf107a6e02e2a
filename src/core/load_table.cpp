// SPDX-License-Identifier: MIT
#include "fleet/core/load_table.hpp"

#include <algorithm>

namespace fleet {

namespace {

bool contains(std::span<const instance_id> ids, instance_id id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

void load_table::add(instance_id id) {
  entries_.try_emplace(id);
}

void load_table::remove(instance_id id) {
  const auto found = entries_.find(id);
  if (found == entries_.end())
    return;
  set_routable(id, false);
  if (found->second.outstanding == 0)
    entries_.erase(found);
  else
    found->second.left = true;
}

void load_table::set_routable(instance_id id, bool routable) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.left || found->second.routable == routable)
    return;
  auto& e = found->second;
  e.routable = routable;
  if (routable)
    order_.insert({e.outstanding, e.chosen, id});
  else
    order_.erase({e.outstanding, e.chosen, id});
}

const load_table::entry* load_table::find(instance_id id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() || found->second.left ? nullptr : &found->second;
}

bool load_table::known(instance_id id) const {
  return find(id) != nullptr;
}

bool load_table::routable(instance_id id) const {
  const auto* e = find(id);
  return e != nullptr && e->routable;
}

std::uint64_t load_table::outstanding(instance_id id) const {
  const auto* e = find(id);
  return e == nullptr ? 0 : e->outstanding;
}

void load_table::raise(instance_id id) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.left)
    return;
  ++total_;
  reorder(id, found->second, found->second.outstanding + 1, ++choices_);
}

bool load_table::lower(instance_id id) {
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.outstanding == 0)
    return false;
  auto& e = found->second;
  --total_;
  reorder(id, e, e.outstanding - 1, e.chosen);
  if (e.left && e.outstanding == 0)
    entries_.erase(found);
  return true;
}

void load_table::reorder(instance_id id, entry& e, std::uint64_t outstanding,
                         std::uint64_t chosen) {
  if (e.routable) {
    // The node moves instead of being freed and allocated anew: this runs twice a turn.
    auto node = order_.extract({e.outstanding, e.chosen, id});
    node.value() = {outstanding, chosen, id};
    order_.insert(std::move(node));
  }
  e.outstanding = outstanding;
  e.chosen = chosen;
}

std::optional<instance_id> load_table::least(std::span<const instance_id> excluded) const {
  for (const auto& r : order_) {
    if (!contains(excluded, r.id))
      return r.id;
  }
  return std::nullopt;
}

std::optional<ticket> choose(const load_table& loads, const route_query& query, pin_state pin,
                             std::uint64_t slack) {
  const auto pinned = pin.where;
  const auto least = loads.least(query.tried);
  if (!least)
    return std::nullopt;
  if (query.session.empty() || slack == 0)
    return ticket{*least, affinity::none};
  if (pinned == instance_id{}) {
    const auto first = pin.expired ? affinity::expired : affinity::fresh;
    return ticket{*least, query.tried.empty() ? first : affinity::moved_gone};
  }
  if (!loads.routable(pinned) || contains(query.tried, pinned))
    return ticket{*least, affinity::moved_gone};
  const auto here = loads.outstanding(pinned);
  const auto there = loads.outstanding(*least);
  if (here > there && here - there > slack)
    return ticket{*least, affinity::moved_load};
  return ticket{pinned, affinity::hit};
}

}  // namespace fleet
