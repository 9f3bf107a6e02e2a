// SPDX-License-Identifier: MIT
#include "session_shard.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// Expired pins are never used, whenever they are swept; sweeping only gives their memory back.
constexpr std::chrono::nanoseconds shortest_sweep = 1s;
constexpr std::chrono::nanoseconds longest_sweep = 60s;

}  // namespace

session_shard_actor::behavior_type session_shard(session_shard_state::pointer self,
                                                 std::size_t capacity,
                                                 std::chrono::nanoseconds ttl) {
  return self->state.start(capacity, ttl);
}

session_shard_actor::behavior_type session_shard_state::start(std::size_t capacity,
                                                              std::chrono::nanoseconds ttl) {
  pins_.emplace(capacity, ttl);
  sweep_interval_ = std::clamp(ttl / 4, shortest_sweep, longest_sweep);
  self_->delayed_send(self_, sweep_interval_, sweep_atom_v);
  // CAF tries them in this order: those of every turn come first.
  return {
      [this](lookup_atom, const std::string& id) { return lookup(id); },
      [this](pin_atom, std::string& id, instance_id where, pin_note note) { pin(id, where, note); },
      [this](unpin_atom, const std::string& id, instance_id where, bool reached) {
        unpin(id, where, reached);
      },
      [this](session_atom, const std::string& id) { return view(id); },
      [this](forget_atom, instance_id where) { forget(where); },
      [this](count_atom) { return count(); },
      [this](sweep_atom) { sweep(); },
  };
}

pin_state session_shard_state::lookup(const std::string& id) const {
  return pins_->look_up(id, now());
}

pin_view session_shard_state::view(const std::string& id) const {
  return pins_->view(id, now());
}

void session_shard_state::pin(std::string& id, instance_id where, pin_note note) {
  pins_->pin(std::move(id), where, now(), note);
}

void session_shard_state::unpin(const std::string& id, instance_id where, bool reached) {
  pins_->unpin(id, where, reached, now());
}

void session_shard_state::forget(instance_id where) {
  pins_->forget(where, now());
}

caf::result<std::uint64_t, pin_ends> session_shard_state::count() {
  const std::uint64_t live = pins_->size(now());
  return {live, pins_->ended()};
}

void session_shard_state::sweep() {
  pins_->sweep(now());
  self_->delayed_send(self_, sweep_interval_, sweep_atom_v);
}

pin_table::time_point session_shard_state::now() const {
  return self_->clock().now();
}

}  // namespace fleet
