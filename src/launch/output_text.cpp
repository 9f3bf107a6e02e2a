// SPDX-License-Identifier: MIT
#include "output_text.hpp"

#include "fleet/core/harmless.hpp"

#include <algorithm>
#include <vector>

namespace fleet {

namespace {

constexpr std::size_t most_lines = 5;
constexpr std::size_t most_bytes = 600;

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
    while (harmless_character(std::string_view(joined).substr(begin)) == 0) {
      ++begin;
    }
    joined = "..." + joined.substr(begin);
  }
  return joined;
}

}  // namespace fleet
