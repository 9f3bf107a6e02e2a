// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <cstddef>
#include <string>

namespace fleet {

/// The whole content of a file of at most `limit` bytes. The failure reads `<path>: <reason>`.
/// Pipes are fine; blocks until they end.
[[nodiscard]] outcome<std::string> read_text_file(const std::string& path, std::size_t limit);

}  // namespace fleet
