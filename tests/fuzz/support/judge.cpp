// SPDX-License-Identifier: MIT
#include "judge.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace fleet::fuzz {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

void expect(bool holds, std::string_view what, std::string_view seen) {
  if (holds) {
    return;
  }
  std::fprintf(stderr, "FINDING: not so: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(seen.size()), seen.data());
  std::abort();
}

std::vector<std::string_view> cut(std::string_view text, unsigned way) {
  if (way == 0) {
    return text.empty() ? std::vector<std::string_view>{} : std::vector{text};
  }
  std::minstd_rand dice(way + static_cast<unsigned>(text.size()));
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t length = way == 1 ? 1 : 1 + dice() % 40;
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length, text.size()));
  }
  return pieces;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80             ? 0
                             : (lead & 0xe0) == 0xc0 ? 1
                             : (lead & 0xf0) == 0xe0 ? 2
                             : (lead & 0xf8) == 0xf0 ? 3
                                                     : 4;
    if (more == 4 || text.size() - i <= more) {
      return false;
    }
    std::uint32_t point = more == 0 ? lead : lead & (0x3fU >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) {
        return false;
      }
      point = point << 6 | (next & 0x3fU);
    }
    static constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

bool has_control(std::string_view text, std::string_view allowed) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && allowed.find(text[i]) == std::string_view::npos) || byte == 0x7f) {
      return true;
    }
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      return true;
    }
  }
  return false;
}

}  // namespace fleet::fuzz
