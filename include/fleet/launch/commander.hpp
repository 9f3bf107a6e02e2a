// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"
#include "fleet/core/process.hpp"
#include "fleet/core/slot_log.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace fleet {

/// The only door to processes: launches, stops and looks at replicas, on this machine and through
/// the `ssh` found in PATH. Contract section 7.
///
/// Thread safety: every member may be called from any thread and returns at once. The work is done
/// on one thread of its own that never waits for anything, any number of orders side by side: a
/// stuck ssh delays nobody else. Each order is answered once, through the poster.
///
/// A command that takes longer than its limit is killed with its whole process group and counts as
/// failed. No child inherits a descriptor, the admin token or another router's instance id.
class process_commander {
 public:
  /// Runs a callback on the caller's own executor. Called from the commander's thread; must not
  /// block, and must be callable for as long as the commander lives.
  using poster = std::function<void(std::function<void()>)>;

  struct options {
    /// For one command. Contract section 7. The built-in stop may take its grace and 15 s more if
    /// that is longer.
    std::chrono::milliseconds command_limit = std::chrono::seconds(120);
  };

  /// `on_exit` hears of each local replica that this commander launched and that has ended, after
  /// the answer to its launch; also when it was stopped on purpose. Takes the environment that
  /// commands inherit from this process, now.
  process_commander(poster post, std::function<void(process_exit)> on_exit, options given);
  process_commander(poster post, std::function<void(process_exit)> on_exit);

  /// Kills the commands that are under way, never a launched replica, and waits for them for a
  /// second at most. Orders that are not answered yet never will be.
  ~process_commander();
  process_commander(const process_commander&) = delete;
  process_commander& operator=(const process_commander&) = delete;

  /// Starts the slot's replica detached: its own session, standard input from the null device, both
  /// outputs appended to the slot's log. Here it is a child that is reaped and reported; over ssh
  /// a small shell stays as the group's leader and notes its end in `<log>.exit`.
  void launch(launch_order order, std::function<void(launch_result)> answer);

  /// Stops what the launch started, or runs the host's stop_command. The built-in way signals
  /// nobody but processes that are certainly of this launch: see process_ref. That none is left,
  /// or ever was, counts as stopped; that the host cannot be reached does not.
  void stop(stop_order order, std::function<void(stop_result)> answer);

  /// Tells whether it still runs, how it ended if that is known, and what it wrote last.
  void inspect(inspect_order order, std::function<void(inspection)> answer);

  /// Reads from the slot's log: the last whole lines of what fits, control characters made
  /// harmless.
  void read_log(log_order order, std::function<void(log_answer)> answer);

 private:
  class worker;
  std::unique_ptr<worker> worker_;
};

}  // namespace fleet
