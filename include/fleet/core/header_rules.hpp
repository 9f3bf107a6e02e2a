// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace fleet {

/// The fields that mean something to the router, in a request or in an answer.
enum class known_field : std::uint8_t {
  none,      ///< any other: passed on as it is
  affinity,  ///< X-Affinity
  authorization,
  connection,
  content_length,
  content_type,
  date,
  expect,
  forwarded_for,    ///< X-Forwarded-For
  forwarded_host,   ///< X-Forwarded-Host
  forwarded_proto,  ///< X-Forwarded-Proto
  host,
  proxy_authorization,
  replica,     ///< X-Replica
  request_id,  ///< X-Request-Id
  server,
  session_id,  ///< X-Session-Id
  transfer_encoding,
  this_hop,  ///< the others of RFC 9110 7.6.1, Trailer and HTTP2-Settings: see is_hop_by_hop()
};

/// Which field a name stands for, ASCII letters in any case.
[[nodiscard]] known_field known_field_of(std::string_view name) noexcept;

/// Whether two texts of one length are the same, ASCII letters in any case.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b) noexcept;

/// Whether two field names or tokens are the same, ASCII letters in any case. Each field of a head
/// is held against many names; nearly all differ in length or in the first letter.
[[nodiscard]] inline bool same_token(std::string_view a, std::string_view b) noexcept {
  constexpr int case_bit = 0x20;
  return a.size() == b.size() &&
         (a.empty() || (((a.front() ^ b.front()) & ~case_bit) == 0 && same_letters(a, b)));
}

/// Whether a field belongs to one connection and is never forwarded, in either direction:
/// RFC 9110 7.6.1, plus `Trailer` (the router frames anew and forwards no trailers) and
/// `HTTP2-Settings` (meaningless without the upgrade it goes with). Fields that a `Connection`
/// field names are the caller's to drop as well, see next_token().
[[nodiscard]] inline bool is_hop_by_hop(known_field field) noexcept {
  return field == known_field::connection || field == known_field::transfer_encoding ||
         field == known_field::this_hop;
}

/// Cuts the next element off a comma-separated list such as the value of `Connection`, without
/// the blanks around it; empty elements are skipped. Gives an empty view at the end.
[[nodiscard]] std::string_view next_token(std::string_view& list) noexcept;

/// Whether a comma-separated list holds `token`, in any case.
[[nodiscard]] bool names_token(std::string_view list, std::string_view token) noexcept;

/// Whether this may be the value of a Host field (RFC 9110 7.2): a name or address and perhaps a
/// port, no user, no path; empty where the target has no authority.
[[nodiscard]] bool is_host_value(std::string_view text) noexcept;

}  // namespace fleet
