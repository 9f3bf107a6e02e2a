// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fleet {

/// `text` fit for one line of a terminal: the bytes of control characters, and those that are no
/// UTF-8, as \xNN; cut behind about 80 bytes.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace fleet
