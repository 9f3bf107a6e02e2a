// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/replica_health.hpp"
#include "fleet/core/settings.hpp"

#include <caf/actor_clock.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// What a replica actor is made from.
struct replica_setup {
  instance_id instance;
  replica_spec spec;
  phase known = phase::starting;  ///< what was last known of it
  routing_settings settings;
  prober_actor prober;
  std::vector<phase_listener_actor> listeners;
  logger* log = nullptr;
};

class replica_state {
 public:
  using pointer = replica_actor::stateful_pointer<replica_state>;
  static constexpr const char* name = "replica";

  explicit replica_state(pointer self) : self_(self) {}
  replica_actor::behavior_type start(replica_setup setup);

 private:
  using time_point = caf::actor_clock::time_point;

  void nudge();
  void lost(std::string& reason);
  void exited(std::string& reason);
  void tick(std::uint64_t epoch);

  void probe();
  void probed(std::uint64_t serial, probe_result& result);
  void prober_failed(const caf::error& why);
  bool judge(probe_result& result);
  void report(bool changed);
  void arm(time_point due);
  [[nodiscard]] time_point now() const;

  pointer self_;
  replica_setup setup_;
  replica_health health_;
  bool probed_once_ = false;
  bool probing_ = false;
  bool gone_ = false;           // what answers is a stranger
  bool overdue_ = false;        // another probe is due as soon as this one has ended
  std::uint64_t serial_ = 0;    // of the probe under way, or the last one
  std::uint64_t outdated_ = 0;  // probes up to this serial began before a turn was lost
  std::uint64_t epoch_ = 0;     // of the one timer that counts
  time_point due_{};
};

/// Probes one replica for as long as it lives, one probe at a time: the first at once, the next one
/// interval after the last began, or when that ends if it takes longer.
replica_actor::behavior_type replica(replica_state::pointer self, replica_setup setup);

}  // namespace fleet
