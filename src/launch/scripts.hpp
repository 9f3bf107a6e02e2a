// SPDX-License-Identifier: MIT
// What runs on the machine of a replica, for `sh -c SCRIPT NAME ARGUMENTS...`: POSIX sh, with the
// usual small tools (cat, awk, grep, tr, head, tail, mkdir, setsid, and flock if there is one) and
// procfs. The same here and over ssh. What they print for us are lines that begin with `mark`; a
// login may print others before.
#pragma once

#include <string>
#include <string_view>

namespace fleet::scripts {

inline constexpr std::string_view mark = "pypto-router: ";

/// Starts a replica and lets go of it. Arguments: LOG, then the command that becomes the replica's
/// monitor. Prints `begun` first, and `started GROUP BIRTH LOG_BEGIN` once it runs; else says why
/// on standard error.
extern const std::string_view launch;

/// Runs a replica in the session it was started in, and notes how it ended in LOG.exit. Arguments:
/// LOG INSTANCE WORKDIR COMMAND...; WORKDIR may be empty. Before it lets go of its outputs it
/// prints `GROUP BIRTH`, unless the command cannot be run.
extern const std::string_view monitor;

/// Stops all that is left of a launch. Arguments: INSTANCE GROUP BIRTH GRACE, as in process_ref,
/// the grace in hundredths of a second. Prints `stopped` when nothing is left, else says on
/// standard error what is.
///
/// Ours is: whoever carries the instance in its environment, and whoever is in the group, if the
/// group is still the one that was launched. It is when its leader has the recorded birth, or when
/// some member carries the instance (a server may write over its environment to set its title). A
/// group whose leader has another birth is a stranger's and left alone. A group without a leader
/// and without a carrier may be either: it is left alone, and that is a failure. A zombie
/// counts for nothing, unless a thread of it still runs.
[[nodiscard]] std::string stop();

/// Looks for what is left of a launch, without a signal. Arguments: INSTANCE GROUP BIRTH LOG
/// LOG_BEGIN LIMIT. Prints `alive` when something runs, `exited STATUS` when the monitor has noted
/// an end, `size BYTES` of the log when there is one, `cut` when it is longer than LIMIT since
/// LOG_BEGIN (which counts as 0 behind its end), then `log` and up to LIMIT last bytes of that.
[[nodiscard]] std::string inspect();

/// Arguments: LOG LOG_BEGIN LIMIT. Prints `size`, `cut`, `log` and the bytes as above.
[[nodiscard]] std::string read_log();

}  // namespace fleet::scripts
