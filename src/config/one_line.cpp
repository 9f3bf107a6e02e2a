// SPDX-License-Identifier: MIT
#include "one_line.hpp"

#include <cstddef>

namespace fleet {

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool starts_character = (byte & 0xc0U) != 0x80U;
    if (line.size() >= longest && starts_character) {
      return line + "...";
    }
    if (byte < 0x20 || byte == 0x7f) {
      line += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace fleet
