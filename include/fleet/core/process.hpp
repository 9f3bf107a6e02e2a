// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/host.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace fleet {

/// How a process ended.
struct exit_status {
  int code = 0;    ///< what it returned; 0 when a signal ended it
  int signal = 0;  ///< the signal that ended it; 0 when it returned

  [[nodiscard]] bool good() const noexcept { return code == 0 && signal == 0; }
  friend bool operator==(const exit_status&, const exit_status&) = default;
};

/// "exit status 3", "killed by SIGKILL".
[[nodiscard]] std::string to_string(const exit_status& how);

/// What has to be known to find a launched replica again, also after a restart of the router.
/// Contract sections 7 and 8.
struct process_ref {
  /// Unique to one launch, never used again: 1..128 of A-Z a-z 0-9 . _ -. What the launch started
  /// carries it in its environment as PYPTO_ROUTER_INSTANCE.
  std::string instance;
  int process_group = 0;  ///< 0: unknown, only the instance can find it
  /// When the group's leader began, as `<clock ticks since boot>@<boot id>`. Together with the
  /// group it names one process for good. Empty: unknown.
  std::string birth;
  std::uint64_t log_begin = 0;  ///< bytes in the log before this launch wrote to it

  friend bool operator==(const process_ref&, const process_ref&) = default;
};

/// A valid instance: anything else is refused before it could reach a shell.
[[nodiscard]] bool is_instance(const std::string& text);

/// Start this slot's replica.
struct launch_order {
  host_spec host;
  slot_spec slot;
  std::string instance;
};

/// The answer to a launch_order. Started means that the command runs, not that it serves.
struct launch_result {
  bool started = false;
  process_ref process;  ///< the instance always, the rest as far as known
  std::string reason;   ///< one line with the command's last output; empty when started
  /// Not started, but something may run all the same: the connection broke or the time was up, and
  /// the other side may have begun. Only a stop of `process` can tell.
  bool may_be_running = false;
};

/// Stop a replica that was launched.
struct stop_order {
  host_spec host;
  slot_spec slot;
  process_ref process;
  std::chrono::milliseconds grace{};  ///< between the polite signal and the hard one
};

/// The answer to a stop_order. Stopped: the stop command succeeded; with the built-in way, nothing
/// is left of what the launch started.
struct stop_result {
  bool stopped = false;
  std::string reason;  ///< one line; empty when stopped
};

/// Look at a replica that was launched.
struct inspect_order {
  host_spec host;
  slot_spec slot;
  process_ref process;
};

/// The answer to an inspect_order.
struct inspection {
  bool known = false;  ///< the machine answered; else only `reason` is filled
  bool alive = false;  ///< some process of this launch runs
  bool ended = false;  ///< the launched command itself ended, in the way `how` says
  exit_status how;     ///< a wrapper may end well and leave the server running
  std::string log;  ///< what was written since the launch: its last 2 KiB at most, without a line
                    ///< whose beginning is cut off, unless that is all
  std::string reason;  ///< one line; empty when known
};

/// A replica launched on this machine has ended.
struct process_exit {
  std::string slot;
  std::string instance;
  exit_status how;
  std::string log;  ///< as in inspection
};

}  // namespace fleet
