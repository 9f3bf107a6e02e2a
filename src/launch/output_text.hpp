// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fleet {

/// Appends, and keeps only the last `limit` bytes.
void append_tail(std::string& to, std::string_view more, std::size_t limit);

/// The last lines of a command's output as one line: blank lines left out, joined by " | ", at most
/// five lines and 600 bytes, harmless.
[[nodiscard]] std::string last_lines(std::string_view output);

}  // namespace fleet
