// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fleet {

/// `text` fit for one line of a terminal: control bytes as \xNN, at most 80 bytes of it.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace fleet
