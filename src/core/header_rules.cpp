// SPDX-License-Identifier: MIT
#include "fleet/core/header_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fleet {

namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Eight bytes with their ASCII capitals made small: of each byte the top bit of `from_a` says that
/// its lower seven bits are 'A' or more, that of `past_z` that they are more than 'Z'.
std::uint64_t lower(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t each = 0x0101010101010101U;
  const auto seven = bytes & (0x7f * each);
  const auto from_a = seven + (0x80 - 'A') * each;
  const auto past_z = seven + (0x7f - 'Z') * each;
  const auto capital = (from_a ^ past_z) & ~bytes & (0x80 * each);
  return bytes | (capital >> 2);
}

std::uint64_t eight_bytes(const char* from) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// RFC 3986 3.2.2, a registered name.
bool is_of_a_name(char c) noexcept {
  constexpr std::string_view others = "-._~%!$&'()*+,;=";
  return (lower(c) >= 'a' && lower(c) <= 'z') || digit(c) || others.find(c) != others.npos;
}

}  // namespace

bool same_letters(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t step = sizeof(std::uint64_t);
  if (a.size() == b.size() && a.size() >= step) {
    const auto same = [&](std::size_t at) {
      return lower(eight_bytes(a.data() + at)) == lower(eight_bytes(b.data() + at));
    };
    for (std::size_t at = 0; at + step < a.size(); at += step) {
      if (!same(at)) {
        return false;
      }
    }
    return same(a.size() - step);  // the last eight, some of them perhaps once more
  }
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

known_field known_field_of(std::string_view name) noexcept {
  using enum known_field;
  const auto is = [name](std::string_view other) { return same_token(name, other); };
  switch (name.size()) {
    case 2:
      return is("te") ? this_hop : none;
    case 4:
      return is("host") ? host : is("date") ? date : none;
    case 6:
      return is("expect") ? expect : is("server") ? server : none;
    case 7:
      return is("upgrade") || is("trailer") ? this_hop : none;
    case 9:
      return is("x-replica") ? replica : none;
    case 10:
      return is("connection")   ? connection
             : is("keep-alive") ? this_hop
             : is("x-affinity") ? affinity
                                : none;
    case 12:
      return is("content-type")   ? content_type
             : is("x-session-id") ? session_id
             : is("x-request-id") ? request_id
                                  : none;
    case 13:
      return is("authorization") ? authorization : none;
    case 14:
      return is("content-length") ? content_length : is("http2-settings") ? this_hop : none;
    case 15:
      return is("x-forwarded-for") ? forwarded_for : none;
    case 16:
      return is("x-forwarded-host") ? forwarded_host : is("proxy-connection") ? this_hop : none;
    case 17:
      return is("transfer-encoding")   ? transfer_encoding
             : is("x-forwarded-proto") ? forwarded_proto
                                       : none;
    case 19:
      return is("proxy-authorization") ? proxy_authorization : none;
    default:
      return none;
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

bool is_host_value(std::string_view text) noexcept {
  auto rest = text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos || end == 1 ||
        text.substr(1, end - 1).find_first_not_of("0123456789abcdefABCDEF:.") !=
            std::string_view::npos) {
      return false;
    }
    rest.remove_prefix(end + 1);
  } else {
    const auto end = std::find_if_not(text.begin(), text.end(), is_of_a_name);
    rest.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return rest.empty() || (rest.front() == ':' && std::all_of(rest.begin() + 1, rest.end(), digit));
}

}  // namespace fleet
