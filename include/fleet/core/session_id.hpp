// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fleet {

/// Longest accepted session id, in characters.
inline constexpr std::size_t max_session_id = 128;

/// One of the characters an accepted session id is made of: `[A-Za-z0-9._:-]`.
[[nodiscard]] constexpr bool session_id_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= ':') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_';
}

/// Whether `id` is accepted as it is: 1..128 of those characters. Contract section 3.
[[nodiscard]] bool valid_session_id(std::string_view id) noexcept;

/// A minted id: 16 random bytes, which the caller draws from the system, as 32 lower-case hex
/// digits.
[[nodiscard]] std::string session_id_from(std::span<const std::uint8_t, 16> random);

}  // namespace fleet
