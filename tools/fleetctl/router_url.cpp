// SPDX-License-Identifier: MIT
#include "router_url.hpp"

#include "text.hpp"

#include <charconv>
#include <cstdint>

namespace fleet::ctl {

namespace {

constexpr std::string_view wanted =
    "expected http://HOST[:PORT] or https://HOST[:PORT], an IPv6 address in brackets";

bool is_port(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number != 0;
}

bool in_url(char c) {
  return c > ' ' && c < 0x7f && c != '?' && c != '#';
}

}  // namespace

std::string router_url::authority() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

std::string router_url::text() const {
  return (tls ? "https://" : "http://") + authority() + prefix;
}

outcome<router_url> parse_router_url(std::string_view text) {
  const failure refused{"'" + printable(text) + "': " + std::string(wanted)};
  router_url url;
  if (text.starts_with("https://")) {
    url.tls = true;
    url.port = "443";
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else if (text.find("://") != std::string_view::npos) {
    return refused;
  }
  if (text.find('@') != std::string_view::npos) {
    return failure{"a user or password in the URL is not understood; use --token-file"};
  }
  const auto slash = std::min(text.find('/'), text.size());
  url.prefix = text.substr(slash);
  while (url.prefix.ends_with('/')) {
    url.prefix.pop_back();
  }
  auto place = text.substr(0, slash);
  const bool bracketed = place.starts_with('[');
  const auto host_end = bracketed ? place.find(']') : std::min(place.find(':'), place.size());
  if (host_end == std::string_view::npos) {
    return refused;
  }
  url.host = place.substr(bracketed ? 1 : 0, bracketed ? host_end - 1 : host_end);
  place.remove_prefix(host_end + (bracketed ? 1 : 0));
  if (place.starts_with(':')) {
    url.port = place.substr(1);
  } else if (!place.empty()) {
    return refused;
  }
  for (const char c : url.host + url.prefix) {
    if (!in_url(c)) {
      return refused;
    }
  }
  if (url.host.empty() || !is_port(url.port)) {
    return refused;
  }
  return url;
}

}  // namespace fleet::ctl
