// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/load_table.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"

#include <caf/actor_clock.hpp>
#include <caf/response_promise.hpp>
#include <caf/result.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace fleet {

class router_state {
 public:
  using pointer = router_actor::stateful_pointer<router_state>;
  static constexpr const char* name = "router";

  explicit router_state(pointer self) : self_(self) {}
  router_actor::behavior_type start(const routing_settings& settings, std::size_t awaited,
                                    logger& log);

 private:
  using time_point = caf::actor_clock::time_point;

  struct member {
    replica_spec spec;
    placement place;
    lost_listener_actor lost_to;
    phase health = phase::starting;
    std::string reason;  // why it is not ready
    time_point since;    // when the phase as shown began
    bool probed = false;
    bool draining = false;
    std::uint32_t number = 0;  // of its name, see names_
    std::uint64_t routed = 0;
    std::uint64_t answers = 0;
    std::chrono::nanoseconds first_byte_sum{0};
    std::vector<caf::response_promise> drained;  // who waits for its last turn to end

    [[nodiscard]] bool owned() const { return !place.slot.empty(); }

    // One that failed shows as that to its end, so that it counts until it is replaced.
    [[nodiscard]] phase shown() const {
      return draining && health != phase::failed ? phase::draining : health;
    }

    void become(phase next, bool drains, time_point now) {
      const auto before = shown();
      health = next;
      draining = drains;
      if (shown() != before)
        since = now;
    }
  };

  struct waiting_turn {
    route_query query;
    caf::typed_response_promise<route_answer> answer;
  };

  // What still waits for replicas that have never been probed.
  enum class patience : std::uint64_t { everything, turns_without_replica, nothing };

  // -- messages -------------------------------------------------------------

  caf::result<route_answer> route(route_query& query);
  void finished(turn_end& end);
  [[nodiscard]] replica_spec describe(instance_id id) const;
  caf::result<fleet_view> health();
  caf::result<session_view> session(const std::string& id);
  void join(instance_id id, replica_spec& spec, placement& place, lost_listener_actor& lost_to);
  void leave(instance_id id);
  caf::result<void> quiesce(instance_id id);
  caf::result<void> quiesce();
  void hear(phase_report& report);
  void lose_patience(patience left);
  void child_died(const caf::down_msg& death);
  void exit(const caf::error& reason);

  // -- one turn -------------------------------------------------------------

  [[nodiscard]] bool refuses(const route_query& query) const;
  [[nodiscard]] bool holds(const route_query& query) const;
  [[nodiscard]] bool needs_pin(const route_query& query) const;
  void advance(waiting_turn turn);
  void look_up(waiting_turn turn);
  void looked_up(const std::string& session, pin_state pin);
  route_answer decide(route_query& query, pin_state pin);
  [[nodiscard]] pin_note note_of(const route_query& query, instance_id pinned, affinity how) const;
  void answered(instance_id id, std::chrono::nanoseconds first_byte);
  void lost(turn_end& end);

  // -- the rest -------------------------------------------------------------

  [[nodiscard]] bool affinity_off() const { return shards_.empty(); }
  [[nodiscard]] const session_shard_actor& shard_of(const std::string& session) const;
  [[nodiscard]] session_shard_actor spawn_shard(std::size_t index);
  void release_pins(instance_id id);
  void first_probe_done() {
    if (awaited_ > 0 && --awaited_ == 0)
      patience_ = patience::nothing;
  }
  void release_held();
  void answer_health(caf::typed_response_promise<fleet_view> answer);
  [[nodiscard]] fleet_view view(std::uint64_t sessions, const pin_ends& ended) const;
  void turn_ended(instance_id id);
  [[nodiscard]] std::uint32_t number_of(const std::string& replica);
  [[nodiscard]] session_view named(const pin_view& pin) const;

  pointer self_;
  routing_settings settings_;
  logger* log_ = nullptr;

  std::unordered_map<instance_id, member> members_;
  std::vector<instance_id> joined_;  // in that order
  load_table loads_;

  // The names of all that ever joined, so that one which has left can still be told. A fleet file
  // has so many and no more.
  std::vector<std::string> names_{""};
  std::unordered_map<std::string, std::uint32_t> numbers_;

  std::vector<session_shard_actor> shards_;  // none: affinity is off

  // Turns by session whose pin is being looked up, in the order they came.
  std::unordered_map<std::string, std::vector<waiting_turn>> looking_;

  patience patience_ = patience::nothing;
  std::size_t awaited_ = 0;  // first probes
  std::vector<waiting_turn> held_;
  std::vector<caf::typed_response_promise<fleet_view>> held_views_;

  bool closing_ = false;
  bool closed_ = false;
  std::vector<caf::response_promise> closed_to_;  // who waits for the last turn of all to end

  std::uint64_t routed_ = 0;
  std::uint64_t affinity_hits_ = 0;
  std::uint64_t rejected_ = 0;
};

/// Decides where turns go. `statics` of the replicas that will join are not owned: turns wait for
/// the first probes of these, see routing_settings, and with `recorded` for (adopted). `log`
/// outlives the actor.
router_actor::behavior_type router(router_state::pointer self, const routing_settings& settings,
                                   std::size_t statics, bool recorded, logger* log);

}  // namespace fleet
