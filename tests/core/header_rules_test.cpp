// SPDX-License-Identifier: MIT
#include "fleet/core/header_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace {

std::vector<std::string> tokens(std::string_view list) {
  std::vector<std::string> all;
  for (auto token = fleet::next_token(list); !token.empty(); token = fleet::next_token(list)) {
    all.emplace_back(token);
  }
  return all;
}

}  // namespace

TEST_CASE("hop-by-hop fields are recognised in any case") {
  for (const char* name :
       {"Connection", "connection", "CONNECTION", "Proxy-Connection", "Keep-Alive", "TE", "te",
        "Transfer-Encoding", "Upgrade", "Trailer", "HTTP2-Settings"}) {
    CAPTURE(name);
    CHECK(fleet::is_hop_by_hop(fleet::known_field_of(name)));
  }
}

TEST_CASE("all other fields are end-to-end") {
  for (const char* name : {"", "T", "TEE", "Content-Length", "Content-Type", "Authorization",
                           "Proxy-Authenticate", "Connections", "Keep-Alive2", "Host", "Date",
                           "X-Session-Id", "Accept-Encoding", "Cookie", "upgrad\xE5"}) {
    CAPTURE(name);
    CHECK_FALSE(fleet::is_hop_by_hop(fleet::known_field_of(name)));
  }
}

TEST_CASE("a field is known by its name in any case, and by its whole name only") {
  using enum fleet::known_field;
  const std::vector<std::pair<std::string, fleet::known_field>> all{
      {"Authorization", authorization},
      {"Connection", connection},
      {"Content-Length", content_length},
      {"Content-Type", content_type},
      {"Date", date},
      {"Expect", expect},
      {"X-Forwarded-For", forwarded_for},
      {"X-Forwarded-Host", forwarded_host},
      {"X-Forwarded-Proto", forwarded_proto},
      {"Host", host},
      {"X-Affinity", affinity},
      {"X-Replica", replica},
      {"X-Request-Id", request_id},
      {"Server", server},
      {"X-Session-Id", session_id},
      {"Transfer-Encoding", transfer_encoding}};
  for (const auto& [name, field] : all) {
    CAPTURE(name);
    auto upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    CHECK(fleet::known_field_of(name) == field);
    CHECK(fleet::known_field_of(upper) == field);
    CHECK(fleet::known_field_of(name + "s") == none);
    CHECK(fleet::known_field_of(name.substr(1)) == none);
    upper.back() = '_';
    CHECK(fleet::known_field_of(upper) == none);
  }
}

TEST_CASE("names compare without regard to the case of ASCII letters, and of nothing else") {
  CHECK(fleet::same_token("X-Session-Id", "x-sESSION-iD"));
  CHECK_FALSE(fleet::same_token("X-Session-Id", "X-Session-Ie"));
  CHECK_FALSE(fleet::same_token("X-Session-Id", "X-Session-I"));
  CHECK_FALSE(fleet::same_token("a@", "a`"));
  CHECK_FALSE(fleet::same_token("a[", "a{"));
  CHECK_FALSE(fleet::same_token("\xC4", "\xE4"));
}

TEST_CASE(
    "names of every length compare as byte by byte, wherever they differ and by whatever byte") {
  const std::string name = "x-Names-LONGER-than-8-bytes@[`{";
  for (std::size_t size = 1; size <= name.size(); ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        const auto text = name.substr(0, size);
        auto other = text;
        other[at] = static_cast<char>(byte);
        const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
        const bool same = small(other[at]) == small(text[at]);
        if (fleet::same_token(text, other) != same) {
          CAPTURE(text);
          CAPTURE(other);
          CHECK(fleet::same_token(text, other) == same);
        }
      }
    }
  }
}

TEST_CASE("a comma list gives its elements, without blanks and without empty ones") {
  using list = std::vector<std::string>;
  CHECK(tokens("close") == list{"close"});
  CHECK(tokens("keep-alive, X-Trace") == list{"keep-alive", "X-Trace"});
  CHECK(tokens("  a ,\t, b\t,,c,") == list{"a", "b", "c"});
  CHECK(tokens("a b , c") == list{"a b", "c"});
  CHECK(tokens("").empty());
  CHECK(tokens(" , ,,").empty());
}

TEST_CASE("a list names a token only when one whole element is that token") {
  CHECK(fleet::names_token("keep-alive, Close", "close"));
  CHECK(fleet::names_token("Upgrade,HTTP2-Settings", "http2-settings"));
  CHECK_FALSE(fleet::names_token("closed, not-close", "close"));
  CHECK_FALSE(fleet::names_token("", "close"));
}

TEST_CASE("the value of a Host field is a name or an address, perhaps with a port, or empty") {
  for (const auto* good : {"", "r", "r:80", "r:", "node_02.example", "10.0.0.2:8000", "[::1]:80",
                           "[fe80::1]", "a%20b", "a,b"}) {
    CAPTURE(good);
    CHECK(fleet::is_host_value(good));
  }
  for (const auto* bad : {"u@r", "r/x", "r?x", "r#x", "a b", "r:8o", "r:80:80", "::1", "[::1", "[]",
                          "[::1]x", "[g]", "r\\x", "<r>", "\xc3\xa4", "[", "\"r\""}) {
    CAPTURE(bad);
    CHECK_FALSE(fleet::is_host_value(bad));
  }
}
