// SPDX-License-Identifier: MIT
// What the scripts printed, as values. Output that is not theirs is never taken for success: a
// restricted account may answer 0 to anything.
#pragma once

#include "run_command.hpp"

#include "fleet/core/process.hpp"
#include "fleet/core/slot_log.hpp"

#include <string>

namespace fleet {

/// May be running: the script began and gave no status of its own, or ssh was killed (its time was
/// up) or failed (255) without words that are known to be from before a session; what the script
/// said may then be lost with it.
[[nodiscard]] launch_result launch_reply(const command_end& end, const std::string& instance);

/// `built_in`: the command was scripts::stop; else its exit status says it all.
[[nodiscard]] stop_result stop_reply(const command_end& end, bool built_in);

[[nodiscard]] inspection inspect_reply(const command_end& end);

[[nodiscard]] log_answer read_log_reply(const command_end& end);

}  // namespace fleet
