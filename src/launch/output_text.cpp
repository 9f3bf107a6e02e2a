// SPDX-License-Identifier: MIT
#include "output_text.hpp"

#include <algorithm>
#include <vector>

namespace fleet {

namespace {

constexpr std::size_t most_lines = 5;
constexpr std::size_t most_bytes = 600;

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// The length of the UTF-8 character at the start of `text`; 0 when there is none, or when it is a
/// control character beyond ASCII.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
  if (length == 0 || length > text.size() ||
      !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
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

bool is_control(char byte) {
  return (byte >= 0 && byte < ' ') || byte == 0x7f;
}

std::vector<std::string_view> filled_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    const auto line = text.substr(0, end);
    if (line.find_first_not_of(" \t") != std::string_view::npos) {
      lines.push_back(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

void append_tail(std::string& to, std::string_view more, std::size_t limit) {
  to += more;
  if (to.size() > limit) {
    to.erase(0, to.size() - limit);
  }
}

std::string harmless(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const auto length = character(text);
    const bool plain =
        length > 1 || (length == 1 &&
                       (!is_control(text.front()) || text.front() == '\n' || text.front() == '\t'));
    clean += plain ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

std::string last_lines(std::string_view output) {
  auto lines = filled_lines(output);
  if (lines.size() > most_lines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
  }
  std::string joined;
  for (const auto line : lines) {
    joined += (joined.empty() ? "" : " | ") + harmless(line);
  }
  if (joined.size() > most_bytes) {
    auto begin = joined.size() - most_bytes;
    while (begin < joined.size() && continues(joined[begin])) {
      ++begin;
    }
    joined = "..." + joined.substr(begin);
  }
  return joined;
}

}  // namespace fleet
