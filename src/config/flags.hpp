// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/config/settings.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// One flag of the command line. To add a flag, add a row to the table in flags.cpp.
struct flag {
  std::string name;      ///< without the dashes
  std::string argument;  ///< what the help calls its value; empty: a switch that takes none
  std::string fallback;  ///< the default as the help says it; empty: nothing to say
  std::string meaning;
  /// Stores a value. Gives what would have been accepted if it is not, else an empty text.
  std::function<std::string(settings&, std::string_view)> store;
  bool secret = false;  ///< its value never shows in a message
};

/// All flags, in the order of the help.
[[nodiscard]] std::vector<flag> all_flags();

}  // namespace fleet
