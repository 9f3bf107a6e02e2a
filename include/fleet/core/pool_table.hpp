// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/admin.hpp"
#include "fleet/core/slot_life.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fleet {

/// Where all slots stand, and which one a launch may take. Spec: "Capacity". Slots are counted in
/// the order they are filled. A time is that of any steady clock, always the same one. Nothing but
/// view() takes longer in a larger pool, O(log n) aside.
class pool_table {
 public:
  /// All free, no two of one name. `ceiling` counts replicas, unconfirmed slots and waiting ones:
  /// the devices that are held or promised.
  explicit pool_table(std::vector<std::string> names = {}, std::size_t ceiling = 0);

  /// What a launch may take: `accepted` with the slot, or why none.
  struct choice {
    grow_outcome outcome = grow_outcome::pool_full;
    std::size_t slot = 0;
  };

  /// `wanted` empty: the first free one, else the first abandoned one, else the first that waits. A
  /// waiting one is below the ceiling already, so that does not stop it.
  [[nodiscard]] choice choose(const std::string& wanted) const;

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const std::string& name(std::size_t slot) const { return entries_.at(slot).name; }
  [[nodiscard]] slot_stage stage(std::size_t slot) const { return entries_.at(slot).stage; }

  /// How many are in_use().
  [[nodiscard]] std::size_t busy() const;

  /// Of an unconfirmed one, a stable word.
  [[nodiscard]] const std::string& reason(std::size_t slot) const {
    return entries_.at(slot).reason;
  }

  /// What is behind that, or why the last launch came to nothing; may be empty.
  [[nodiscard]] const std::string& detail(std::size_t slot) const {
    return entries_.at(slot).detail;
  }

  /// Time spent in its stage so far.
  [[nodiscard]] std::chrono::nanoseconds age(std::size_t slot, std::chrono::nanoseconds now) const {
    return now - entries_.at(slot).since;
  }

  /// An index out of range is ignored.
  void set(std::size_t slot, slot_stage stage, std::string reason, std::string detail,
           std::chrono::nanoseconds now);

  /// All but what the losses of its slots tell: how many, and the replacements.
  [[nodiscard]] capacity_view view(std::chrono::nanoseconds now) const;

 private:
  struct entry {
    std::string name;
    slot_stage stage = slot_stage::free;
    std::string reason;
    std::string detail;
    std::chrono::nanoseconds since{0};
  };

  using slots = std::set<std::size_t>;

  [[nodiscard]] const slots& in(slot_stage stage) const {
    return by_stage_.at(static_cast<std::size_t>(stage));
  }
  [[nodiscard]] slots& in(slot_stage stage) {
    return by_stage_.at(static_cast<std::size_t>(stage));
  }
  [[nodiscard]] choice choose_any() const;
  [[nodiscard]] choice choose_named(std::size_t slot) const;
  [[nodiscard]] bool at_ceiling() const;

  std::vector<entry> entries_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::array<slots, slot_stages> by_stage_;
  std::size_t ceiling_;
};

}  // namespace fleet
