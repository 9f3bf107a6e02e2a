// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/context.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fleet::sim {

/// The state file and what the journal does to it: one operation at a time, in the order they come.
class disk {
 public:
  explicit disk(context& world) : world_(world) {}

  void record(question q, const slot_record& what) { enqueue({q, what.slot, what, false}); }
  void erase(question q, const std::string& slot) { enqueue({q, slot, {}, true}); }

  /// What the file holds.
  [[nodiscard]] const std::map<std::string, slot_record>& file() const { return file_; }
  [[nodiscard]] std::vector<slot_record> records() const;

  /// It was asked to forget this slot while it was full, and nobody asked again. Such a record only
  /// reserves.
  [[nodiscard]] bool refused_to_erase(const std::string& slot) const {
    return refused_.contains(slot);
  }

  /// The router is gone: what it had not written never will be, but the write under way may be.
  void crash();

  void fill_up(duration how_long) { full_until_ = world_.now + how_long; }
  void slow_down(duration how_long) { slow_until_ = world_.now + how_long; }
  void heal() { full_until_ = slow_until_ = moment(0); }

 private:
  struct operation {
    question q = 0;
    std::string slot;
    slot_record what;
    bool erases = false;
  };

  void enqueue(operation what);
  void begin();
  void end();
  void apply(const operation& what);

  context& world_;
  std::map<std::string, slot_record> file_;
  std::set<std::string> refused_;
  std::deque<operation> waiting_;
  std::uint64_t serial_ = 0;  // of the write under way
  moment full_until_{0};
  moment slow_until_{0};
};

}  // namespace fleet::sim
