// SPDX-License-Identifier: MIT
#include "fleet/core/host_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <vector>

namespace fleet {

namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view first, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return first.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
  });
}

template <class Number>
bool is_number(std::string_view text, int base, Number& value) {
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && stopped == end;
}

using group = std::uint16_t;

/// Two groups. A zero in front would be octal to some, so it is refused.
std::optional<std::array<group, 2>> parse_v4(std::string_view text) {
  std::array<std::uint8_t, 4> bytes{};
  for (auto& byte : bytes) {
    const auto digits = text.substr(0, text.find('.'));
    const bool last = &byte == &bytes.back();
    if (!is_number(digits, 10, byte) || (digits.size() > 1 && digits.front() == '0') ||
        last != (digits.size() == text.size())) {
      return std::nullopt;
    }
    text.remove_prefix(digits.size() + (last ? 0 : 1));
  }
  return std::array{static_cast<group>(bytes[0] << 8 | bytes[1]),
                    static_cast<group>(bytes[2] << 8 | bytes[3])};
}

std::string written(const std::array<group, 2>& v4) {
  return std::to_string(v4[0] >> 8) + "." + std::to_string(v4[0] & 0xff) + "." +
         std::to_string(v4[1] >> 8) + "." + std::to_string(v4[1] & 0xff);
}

/// One side of a `::`, or the whole; the last of an address may be an IPv4 address.
bool parse_groups(std::string_view text, bool may_end_in_v4, std::vector<group>& to) {
  while (!text.empty()) {
    const auto piece = text.substr(0, text.find(':'));
    const bool last = piece.size() == text.size();
    group value = 0;
    if (const auto v4 = parse_v4(piece); v4 && last && may_end_in_v4) {
      to.insert(to.end(), v4->begin(), v4->end());
    } else if (piece.size() <= 4 && is_number(piece, 16, value)) {
      to.push_back(value);
    } else {
      return false;
    }
    text.remove_prefix(piece.size() + (last ? 0 : 1));
    if (!last && text.empty()) {
      return false;
    }
  }
  return true;
}

/// The eight groups of an IPv6 address without a zone; none when it is none.
std::vector<group> parse_v6(std::string_view text) {
  constexpr std::size_t size = 8;
  std::vector<group> all;
  std::vector<group> end;
  const auto gap = text.find("::");
  const bool whole = gap == std::string_view::npos;
  if (!parse_groups(text.substr(0, gap), whole, all) ||
      (!whole && !parse_groups(text.substr(gap + 2), true, end)) ||
      (whole ? all.size() != size : all.size() + end.size() >= size)) {
    return {};
  }
  all.resize(size - end.size());
  all.insert(all.end(), end.begin(), end.end());
  return all;
}

/// An IPv6 address with all its groups and its zone, or the IPv4 address that it stands for; empty
/// when it is none.
std::string canonical_v6(std::string_view text) {
  const auto percent = std::min(text.find('%'), text.size());
  const auto zone = text.substr(percent);
  const auto groups = parse_v6(text.substr(0, percent));
  if (zone == "%" || !consists_of(zone, letters_and_digits, "%._-") || groups.empty()) {
    return {};
  }
  constexpr std::array<group, 6> v4_prefix = {0, 0, 0, 0, 0, 0xffff};
  if (std::equal(v4_prefix.begin(), v4_prefix.end(), groups.begin())) {
    return written({groups[6], groups[7]});
  }
  std::string address;
  for (const auto each : groups) {
    std::array<char, 4> digits{};
    auto* const end = std::to_chars(digits.begin(), digits.end(), each, 16).ptr;
    address += (address.empty() ? "" : ":") + std::string(digits.data(), end);
  }
  return address + std::string(zone);
}

/// Of a canonical host. What is bound to no address in particular is reached here as well.
bool is_own(std::string_view host) {
  const auto address = host.substr(0, host.find('%'));
  return host.starts_with("127.") || host == "0.0.0.0" || address == "0:0:0:0:0:0:0:1" ||
         address == "0:0:0:0:0:0:0:0";
}

/// A TCP port in decimal digits, 1..65535.
bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  return is_number(text, 10, port) && port != 0;
}

/// A user of an ssh destination; what could be taken for an option is none.
bool is_user(std::string_view text) {
  return !text.empty() && text.front() != '-' && consists_of(text, letters_and_digits, "._-+%@\\");
}

}  // namespace

bool is_ip_address(std::string_view text) {
  return parse_v4(text).has_value() || !canonical_v6(text).empty();
}

bool is_host(std::string_view text) {
  if (is_ip_address(text)) {
    return true;
  }
  return !text.empty() && text.size() <= 253 &&
         letters_and_digits.find(text.front()) != std::string_view::npos &&
         consists_of(text, letters_and_digits, "._-");
}

std::string_view without_brackets(std::string_view text) {
  const bool enclosed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  return enclosed ? text.substr(1, text.size() - 2) : text;
}

std::string canonical_host(std::string_view host) {
  if (auto address = canonical_v6(host); !address.empty()) {
    return address;
  }
  std::string name(host);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (name.size() > 1 && name.ends_with('.')) {
    name.pop_back();
  }
  return name == "localhost" ? "127.0.0.1" : name;
}

std::string host_of_ssh(std::string_view destination) {
  constexpr std::string_view scheme = "ssh://";
  const bool uri = destination.starts_with(scheme);
  auto host = uri ? destination.substr(scheme.size()) : destination;
  if (const auto at = host.rfind('@'); at != std::string_view::npos) {
    if (!is_user(host.substr(0, at))) {
      return {};
    }
    host = host.substr(at + 1);
  }
  if (uri) {
    const auto colon = host.rfind(':');
    const auto port = colon == std::string_view::npos ? colon : host.find(']', colon);
    if (colon != std::string_view::npos && port == std::string_view::npos) {
      if (!is_port(host.substr(colon + 1))) {
        return {};
      }
      host = host.substr(0, colon);
    }
    // ssh would take the rest of an IPv6 address without brackets for a port.
    if (host.find(':') != std::string_view::npos && !host.starts_with('[')) {
      return {};
    }
    host = without_brackets(host);
  }
  return is_host(host) ? std::string(host) : std::string{};
}

std::string machine_of_ssh(std::string_view destination) {
  const auto host = host_of_ssh(destination);
  if (host.empty()) {
    return std::string(destination.substr(destination.rfind('@') + 1));
  }
  const auto name = canonical_host(host);
  std::string_view port;
  if (destination.starts_with("ssh://")) {
    const auto end = destination.find_last_not_of("0123456789");
    port = destination[end] == ':' ? destination.substr(end + 1) : port;
    port.remove_prefix(std::min(port.find_first_not_of('0'), port.size()));
  }
  if (port.empty() || port == "22") {
    return is_own(name) ? "" : name;
  }
  return name + ":" + std::string(port);
}

std::string machine_of_address(std::string_view address) {
  auto name = canonical_host(address);
  return is_own(name) ? "" : name;
}

bool may_be_one_machine(const machine_access& a, const machine_access& b) {
  const auto names = [](const machine_access& x) {
    const auto host = host_of_ssh(x.ssh);
    const auto bare = x.ssh.substr(x.ssh.rfind('@') + 1);
    std::vector<std::string> all = {machine_of_address(host.empty() ? bare : host)};
    if (!x.address.empty()) {
      all.push_back(machine_of_address(x.address));
    }
    return all;
  };
  const auto of_a = names(a);
  const auto of_b = names(b);
  return std::find_first_of(of_a.begin(), of_a.end(), of_b.begin(), of_b.end()) != of_a.end();
}

bool is_ssh_alias(std::string_view destination) {
  auto name = destination;
  if (const auto at = name.rfind('@'); at != std::string_view::npos) {
    if (!is_user(name.substr(0, at))) {
      return false;
    }
    name = name.substr(at + 1);
  }
  return !name.empty() && name.front() != '-' && consists_of(name, letters_and_digits, "._-+,=~#^");
}

}  // namespace fleet
