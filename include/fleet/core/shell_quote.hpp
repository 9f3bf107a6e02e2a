// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// `word` so that a POSIX shell reads it back as exactly this one word, whatever bytes it holds.
/// NUL cannot be carried by a shell; callers refuse it earlier. Plain words stay as they are.
[[nodiscard]] std::string shell_quote(std::string_view word);

/// Each word quoted, separated by blanks: a command line for `sh -c`.
[[nodiscard]] std::string shell_quote(const std::vector<std::string>& words);

}  // namespace fleet
