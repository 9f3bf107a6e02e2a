// SPDX-License-Identifier: MIT
// The command line's words: one table that parsing, help and completion are made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::ctl {

/// What an operand or an option's argument names, for completion.
enum class names_a : std::uint8_t { nothing, slot, replica, file, shell, format, number };

struct option {
  std::string name;      ///< without the dashes
  char letter = 0;       ///< its short form; 0: none
  std::string argument;  ///< what the help calls its argument; empty: a switch
  std::string meaning;   ///< one line for the help
  names_a what = names_a::nothing;
};

struct command {
  std::string name;
  std::string operands;              ///< as the help shows them
  std::string summary;               ///< one line
  std::string help;                  ///< what else to know; may be empty
  std::vector<std::string> options;  ///< those it takes besides the global ones, by name
  std::size_t least = 0;             ///< operands
  std::size_t most = 0;
  names_a what = names_a::nothing;
};

/// Taken by every command.
[[nodiscard]] const std::vector<option>& global_options();

/// Taken by the commands that list them.
[[nodiscard]] const std::vector<option>& command_options();

[[nodiscard]] const std::vector<command>& commands();

/// nullptr: there is none of this name.
[[nodiscard]] const command* find_command(std::string_view name);

/// The command whose name is nearest to what was typed; empty when none is near.
[[nodiscard]] std::string nearest_command(std::string_view typed);

/// `fleetctl --help`.
[[nodiscard]] std::string general_help();

/// `fleetctl COMMAND --help`.
[[nodiscard]] std::string help_of(const command& which);

/// One line: `usage: fleetctl ...`.
[[nodiscard]] std::string usage_of(const command& which);

}  // namespace fleet::ctl
