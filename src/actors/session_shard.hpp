// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/pin_table.hpp"

#include <caf/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace fleet {

class session_shard_state {
 public:
  using pointer = session_shard_actor::stateful_pointer<session_shard_state>;
  static constexpr const char* name = "session_shard";

  explicit session_shard_state(pointer self) : self_(self) {}
  session_shard_actor::behavior_type start(std::size_t capacity, std::chrono::nanoseconds ttl);

 private:
  [[nodiscard]] pin_state lookup(const std::string& id) const;
  [[nodiscard]] pin_view view(const std::string& id) const;
  void pin(std::string& id, instance_id where, pin_note note);
  void unpin(const std::string& id, instance_id where, bool reached);
  void forget(instance_id where);
  [[nodiscard]] caf::result<std::uint64_t, pin_ends> count();
  void sweep();

  [[nodiscard]] pin_table::time_point now() const;

  pointer self_;
  std::optional<pin_table> pins_;
  std::chrono::nanoseconds sweep_interval_{0};
};

/// Keeps at most `capacity` pins, each for `ttl` after the last turn of its session.
session_shard_actor::behavior_type session_shard(session_shard_state::pointer self,
                                                 std::size_t capacity,
                                                 std::chrono::nanoseconds ttl);

}  // namespace fleet
