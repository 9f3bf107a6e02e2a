// SPDX-License-Identifier: MIT
#include "fleet/core/shell_quote.hpp"

namespace fleet {

namespace {

// No '=': as a first word it would be read as an assignment. No '~': it would expand.
constexpr std::string_view plain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-";

}  // namespace

std::string shell_quote(std::string_view word) {
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_quote(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    line += (line.empty() ? "" : " ") + shell_quote(word);
  }
  return line;
}

}  // namespace fleet
