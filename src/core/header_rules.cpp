// SPDX-License-Identifier: MIT
#include "fleet/core/header_rules.hpp"

#include <algorithm>

namespace fleet {

namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

bool same_letters(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_hop_by_hop(std::string_view name) noexcept {
  switch (name.size()) {
    case 2:
      return same_token(name, "te");
    case 7:
      return same_token(name, "upgrade") || same_token(name, "trailer");
    case 10:
      return same_token(name, "connection") || same_token(name, "keep-alive");
    case 14:
      return same_token(name, "http2-settings");
    case 16:
      return same_token(name, "proxy-connection");
    case 17:
      return same_token(name, "transfer-encoding");
    default:
      return false;
  }
}

std::string_view next_token(std::string_view& list) noexcept {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view token = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (!token.empty()) {
      return token;
    }
  }
  return {};
}

bool names_token(std::string_view list, std::string_view token) noexcept {
  for (auto element = next_token(list); !element.empty(); element = next_token(list)) {
    if (same_token(element, token)) {
      return true;
    }
  }
  return false;
}

}  // namespace fleet
