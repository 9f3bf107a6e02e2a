// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include "fleet/core/admin.hpp"
#include "fleet/core/session_view.hpp"
#include "fleet/core/slot_log.hpp"
#include "fleet/core/turn.hpp"
#include "fleet/core/view.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace fleet::http {

/// What HTTP connections ask of the actors, one object per lane, used on that lane only. Real:
/// actor_port, which asks the lane's front actor. Tests script it.
class fleet_port {
 public:
  fleet_port() = default;
  fleet_port(const fleet_port&) = delete;
  fleet_port& operator=(const fleet_port&) = delete;
  virtual ~fleet_port() = default;

  /// Where shall this turn go? `shutting_down` when the actors are gone.
  virtual awaitable<route_answer> route(route_query query) = 0;
  /// A ticket comes back. Never blocks, never fails.
  virtual void finished(turn_end end) = 0;
  /// Name and address of an instance; port 0 when it is gone.
  virtual awaitable<replica_spec> describe(instance_id instance) = 0;
  virtual awaitable<fleet_view> health() = 0;
  /// Where this conversation is pinned, and why.
  virtual awaitable<session_view> session(std::string id) = 0;

  // The admin API; see admin_actor. An answer can take as long as a drain and a stop.
  virtual awaitable<grow_answer> grow(std::string slot) = 0;
  virtual awaitable<shrink_answer> shrink(std::string replica) = 0;
  virtual awaitable<release_answer> release(std::string slot) = 0;
  virtual awaitable<pool_view> fleet() = 0;
  virtual awaitable<log_answer> read_log(log_query wanted) = 0;
};

/// Holds one ticket and gives it back when it goes, on every path. Rule 2: what goes up comes down.
class lease {
 public:
  lease(fleet_port& fleet, turn_end end) : fleet_(fleet), end_(std::move(end)) {}
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;
  ~lease() { fleet_.finished(std::move(end_)); }

  void outcome(turn_outcome how, std::string reason = {}) {
    end_.how = how;
    end_.reason = std::move(reason);
  }
  /// How it was routed.
  [[nodiscard]] affinity how() const { return end_.chosen; }
  void first_byte(std::chrono::nanoseconds after) { end_.first_byte = after; }

 private:
  fleet_port& fleet_;
  turn_end end_;
};

}  // namespace fleet::http
