// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/replica.hpp"
#include "fleet/core/session_view.hpp"
#include "fleet/core/turn.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

namespace fleet {

/// Outstanding turns of each instance, and which instance carries the fewest. Instances of equal
/// load take turns: the one chosen longest ago comes first. Contract section 3, "Choice".
///
/// An instance that leaves while turns are in flight on it is unknown from then on, but its turns
/// still count in total() until they end. No count ever goes below zero.
class load_table {
 public:
  /// A new instance, not routable, nothing outstanding. Known ones are left alone.
  void add(instance_id id);

  /// It is unknown from now on.
  void remove(instance_id id);

  /// Whether turns may be sent there; ignored for an unknown instance.
  void set_routable(instance_id id, bool routable);

  [[nodiscard]] bool known(instance_id id) const;
  [[nodiscard]] bool routable(instance_id id) const;

  /// Turns in flight there; 0 for an unknown instance.
  [[nodiscard]] std::uint64_t outstanding(instance_id id) const;

  /// Turns in flight on all instances, those that left included.
  [[nodiscard]] std::uint64_t total() const { return total_; }

  /// One more turn is in flight on this known instance, which thereby is the last one chosen.
  void raise(instance_id id);

  /// One turn fewer; true when there was one to take away.
  bool lower(instance_id id);

  /// The routable instance with the fewest turns that is not in `excluded`. O(log n) but for the
  /// excluded ones.
  [[nodiscard]] std::optional<instance_id> least(std::span<const instance_id> excluded) const;

 private:
  struct rank {
    std::uint64_t outstanding;
    std::uint64_t chosen;  // 0: never
    instance_id id;
    friend auto operator<=>(const rank&, const rank&) = default;
  };

  struct entry {
    std::uint64_t outstanding = 0;
    std::uint64_t chosen = 0;
    bool routable = false;
    bool left = false;
  };

  [[nodiscard]] const entry* find(instance_id id) const;
  void reorder(instance_id id, entry& e, std::uint64_t outstanding, std::uint64_t chosen);

  std::unordered_map<instance_id, entry> entries_;
  std::set<rank> order_;  // the routable ones
  std::uint64_t choices_ = 0;
  std::uint64_t total_ = 0;
};

/// Where one turn goes, and why. `pin`: that of its session. `slack` is how many more turns a
/// pinned instance may carry than the least loaded one; 0: affinity is off and the pin is not
/// looked at. Nothing when no routable instance is left beside `query.tried`.
[[nodiscard]] std::optional<ticket> choose(const load_table& loads, const route_query& query,
                                           pin_state pin, std::uint64_t slack);

}  // namespace fleet
