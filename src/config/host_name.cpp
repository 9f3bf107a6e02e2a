// SPDX-License-Identifier: MIT
#include "host_name.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <netinet/in.h>
#include <system_error>

namespace fleet {

namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view first, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return first.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
  });
}

/// The address as the system writes it; empty when it is none of that family.
std::string as_written(int family, const std::string& text) {
  in6_addr binary{};
  std::array<char, INET6_ADDRSTRLEN> written{};
  if (inet_pton(family, text.c_str(), &binary) != 1 ||
      inet_ntop(family, &binary, written.data(), written.size()) == nullptr) {
    return {};
  }
  return written.data();
}

/// An IPv6 address in canonical spelling, its zone kept; empty when it is none.
std::string canonical_v6(std::string_view text) {
  const auto percent = std::min(text.find('%'), text.size());
  const auto zone = text.substr(percent);
  if (zone == "%" || !consists_of(zone, letters_and_digits, "%._-")) {
    return {};
  }
  const auto address = as_written(AF_INET6, std::string(text.substr(0, percent)));
  return address.empty() ? address : address + std::string(zone);
}

/// A TCP port in decimal digits, 1..65535.
bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, port);
  return error == std::errc{} && stopped == end && port != 0;
}

/// A user of an ssh destination; what could be taken for an option is none.
bool is_user(std::string_view text) {
  return !text.empty() && text.front() != '-' && consists_of(text, letters_and_digits, "._-+%@\\");
}

}  // namespace

bool is_ip_address(std::string_view text) {
  return text.find('\0') == std::string_view::npos &&
         (!as_written(AF_INET, std::string(text)).empty() || !canonical_v6(text).empty());
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
    return name.starts_with("127.") || name == "::1" ? "" : name;
  }
  return name + ":" + std::string(port);
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
