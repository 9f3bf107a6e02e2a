// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"
#include "fleet/core/record.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// The state file as text, and back. Contract section 8:
///
///     {"version": 1,
///      "replicas": [{"slot", "host", "devices", "address", "port", "instance", "process_group",
///                    "launched_at", ["birth"], ["log_begin"]}],
///      "reservations": [{"slot", "reason", "since", ["detail"], [any field of a replica]}]}
///
/// Times are RFC 3339; written in UTC to the millisecond, rounded down. A text that is empty and a
/// number that is 0 are left out where that is allowed.

/// What a state file with these records says. Their texts have to be UTF-8 without NUL. The order
/// stays, within replicas and within reservations.
[[nodiscard]] std::string state_text(const std::vector<slot_record>& records);

/// The records, replicas first. The failure is one line: `file`, place, and what was wanted.
/// Refused are unknown keys and versions, a slot or an instance given twice, and whatever does not
/// fit its field; a process group of 1 is one of these, since a signal to it would reach every
/// process.
[[nodiscard]] outcome<std::vector<slot_record>> parse_state(std::string_view text,
                                                            std::string_view file);

/// The same from a file of at most 64 MiB. One that does not exist holds nothing; an empty one is
/// refused, since no router writes that.
[[nodiscard]] outcome<std::vector<slot_record>> read_state_file(const std::string& path);

}  // namespace fleet
