// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <string>
#include <string_view>

namespace fleet {

/// Empty for a usable token, 1..4096 visible ASCII characters; else what would have been one.
[[nodiscard]] std::string wrong_token(std::string_view token);

/// The token a file holds, without one trailing newline (LF or CR LF).
[[nodiscard]] outcome<std::string> read_token_file(const std::string& path);

}  // namespace fleet
