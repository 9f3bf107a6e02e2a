// SPDX-License-Identifier: MIT
#include "one_line.hpp"

#include "fleet/core/harmless.hpp"

#include <cstddef>

namespace fleet {

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  while (!text.empty()) {
    if (line.size() >= longest) {
      return line + "...";
    }
    const auto length = harmless_character(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      line += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return line;
}

}  // namespace fleet
