// SPDX-License-Identifier: MIT
// The command lines that launch, stop and look at a replica, here or over ssh.
#pragma once

#include "fleet/core/process.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// The words of one program call.
using words = std::vector<std::string>;

/// `remote` on this host: ssh as contract section 7 has it, each remote word shell-quoted. The
/// destination comes after `--`, so it is never read as an option, nor is what follows.
[[nodiscard]] words ssh_command(const host_spec& host, const words& remote);

/// `remote` where the replicas of the host run: over ssh, or as it is on this machine.
[[nodiscard]] words command_on(const host_spec& host, words command);

/// Only for hosts with ssh; answers as scripts::launch says.
[[nodiscard]] words launch_over_ssh(const launch_order& order);

/// The host's stop_command, or the built-in way. Answers as scripts::stop says in the latter case.
[[nodiscard]] words stop_command(const stop_order& order);

/// Answers as scripts::inspect says.
[[nodiscard]] words inspect_command(const inspect_order& order, std::size_t log_bytes);

/// Answers as scripts::read_log says.
[[nodiscard]] words read_log_command(const host_spec& host, const slot_spec& slot,
                                     std::uint64_t log_begin, std::size_t log_bytes);

}  // namespace fleet
