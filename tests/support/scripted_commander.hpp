// SPDX-License-Identifier: MIT
#pragma once

#include "support/scripted_prober.hpp"

#include "fleet/actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// How the launch command of one slot goes.
struct launch_step {
  bool started = true;
  std::string reason;
  bool may_be_running = false;
  std::chrono::nanoseconds after{0};
};

/// How the stop command of one slot goes, and whether the address goes silent with it.
struct stop_step {
  bool stopped = true;
  std::string reason;
  std::chrono::nanoseconds after{0};
  bool goes_silent = true;
};

/// What processes do, by slot, and what was asked of them. One thread only.
struct command_script {
  std::map<std::string, launch_step> launches;
  std::map<std::string, stop_step> stops;
  std::map<std::string, inspection> inspections;  ///< none: alive and well
  bool looks_answered = true;                     ///< else never
  std::map<std::string, std::string> logs;
  struct seen {
    std::string what;
    std::string slot;
    std::string instance;
    std::chrono::steady_clock::time_point at;
  };
  std::vector<seen> commands;
  exit_listener_actor listener;

  [[nodiscard]] std::size_t count(std::string_view what, std::string_view slot = {}) const;
  [[nodiscard]] seen last(std::string_view what) const;
};

using scripted_commander_actor =
    commander_actor::extend<caf::reacts_to<tick_atom, std::uint64_t /*command*/>>;

struct scripted_commander_state {
  static constexpr const char* name = "scripted_commander";
  std::map<std::uint64_t, std::function<void()>> waiting;
  std::uint64_t last = 0;
};

/// A commander without processes, in the time of the actor clock. A stop that succeeds silences the
/// slot's port in `network`.
scripted_commander_actor::behavior_type scripted_commander(
    scripted_commander_actor::stateful_pointer<scripted_commander_state> self,
    std::shared_ptr<command_script> script, std::shared_ptr<probe_script> network);

}  // namespace fleet
