// SPDX-License-Identifier: MIT
#include "fleet/core/session_id.hpp"

#include <algorithm>

namespace fleet {

bool valid_session_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= max_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return session_id_character(c); });
}

std::string session_id_from(std::span<const std::uint8_t, 16> random) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id(2 * random.size(), '0');
  auto at = id.begin();
  for (const std::uint8_t byte : random) {
    *at++ = digits[byte >> 4];
    *at++ = digits[byte & 15];
  }
  return id;
}

}  // namespace fleet
