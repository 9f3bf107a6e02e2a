// SPDX-License-Identifier: MIT
#pragma once

#include "environment.hpp"

#include "fleet/core/outcome.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace fleet {

/// A program to start. It gets its own session, standard input from the null device, no descriptor
/// but 0, 1 and 2, an empty signal mask and default dispositions, whatever this process has.
struct spawn_plan {
  std::vector<std::string> argv;  ///< a name without slash is looked up in the PATH of `env`
  environment env;
  std::string workdir;  ///< empty: where this process is
  /// Standard output and error are appended there and its directory is made; empty: they go to
  /// `out` and `err`.
  std::string log_path;
  int out = -1;
  int err = -1;
  /// With a log: `<its size>\n` comes here first. If the program cannot be run, the reason comes
  /// here as one line. Closed as soon as the program runs, so the end says that it does.
  int report = -1;
};

/// Starts it and gives its process id, which is also its process group. The failure is that no
/// process could be made; what goes wrong later is reported as said above, and the process ends
/// with status 127. Only forking happens on the calling thread: disks that hang hang the child,
/// which by then holds nothing of this process but what the plan gives it.
///
/// Why not Boost.Process v2 (1.81): it lets signal handlers run in the child before exec, reports
/// from there with exit(), waits for the exec on the calling thread, and knows neither log, session
/// nor signal state; all of that would have to be initialisers that still run in its child.
[[nodiscard]] outcome<pid_t> spawn(const spawn_plan& plan);

}  // namespace fleet
