// SPDX-License-Identifier: MIT
#include "fleet/core/harmless.hpp"

#include <algorithm>

namespace fleet {

namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::size_t length_after(unsigned char first) {
  return first < 0x80   ? 1
         : first < 0xc2 ? 0
         : first < 0xe0 ? 2
         : first < 0xf0 ? 3
         : first < 0xf5 ? 4
                        : 0;
}

}  // namespace

std::size_t harmless_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty() || byte(0) < 0x20 || byte(0) == 0x7f) {
    return 0;
  }
  const std::size_t length = length_after(byte(0));
  if (length > text.size() ||
      !std::all_of(text.begin() + 1,
                   text.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(length, 1)),
                   continues)) {
    return 0;
  }
  // Overlong forms, surrogates, beyond Unicode; U+0080..U+009F control a terminal.
  if (length > 1) {
    const auto second = byte(1);
    if ((byte(0) == 0xc2 && second < 0xa0) || (byte(0) == 0xe0 && second < 0xa0) ||
        (byte(0) == 0xed && second > 0x9f) || (byte(0) == 0xf0 && second < 0x90) ||
        (byte(0) == 0xf4 && second > 0x8f)) {
      return 0;
    }
  }
  return length;
}

std::string harmless(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const auto length = harmless_character(text);
    const bool plain = length != 0 || text.front() == '\n' || text.front() == '\t';
    const auto taken = std::max<std::size_t>(length, 1);
    clean += plain ? text.substr(0, taken) : "?";
    text.remove_prefix(taken);
  }
  return clean;
}

}  // namespace fleet
