// SPDX-License-Identifier: MIT
// Texts from elsewhere on their way into JSON, the log and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fleet {

/// The length in bytes of the UTF-8 character that `text` begins with. 0 when it begins with none,
/// or with a control character: U+0000 to U+001F, U+007F to U+009F.
[[nodiscard]] std::size_t harmless_character(std::string_view text);

/// The same text fit for JSON and a terminal: UTF-8 stays, line ends and tabs stay; every other
/// control character and every byte that is no UTF-8 becomes `?`.
[[nodiscard]] std::string harmless(std::string_view text);

}  // namespace fleet
