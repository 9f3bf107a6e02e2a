// SPDX-License-Identifier: MIT
// An Authorization field against the admin token: `<token>\n<value>`.
#include "bearer.hpp"

#include "support/judge.hpp"
#include "support/strict_http.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace fleet::fuzz;

bool is_bearer_of(std::string_view value, std::string_view token) {
  if (value.size() < 7 || lower(value.substr(0, 7)) != "bearer ") {
    return false;
  }
  value.remove_prefix(std::min(value.find_first_not_of(' ', 6), value.size()));
  return value == token;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto line = std::min(text.find('\n'), text.size());
  const auto token = text.substr(0, line);
  const auto value = text.substr(std::min(line + 1, text.size()));
  using fleet::http::bears;
  using fleet::http::mentions;
  expect(!bears(value, {}) && !mentions(value, {}), "no value bears an empty token");
  const bool usable = !token.empty() && std::all_of(token.begin(), token.end(),
                                                    [](char c) { return c > ' ' && c <= '~'; });
  if (!usable) {
    return 0;
  }
  expect(bears(value, token) == is_bearer_of(value, token), "Bearer and the token, or not");
  const bool encoded = lower(value.substr(0, 6)) == "basic ";
  expect(encoded || mentions(value, token) == holds_word(value, token),
         "the token as a word, or not");
  expect(mentions(value, token) || !holds_word(value, token), "encoded or not");
  expect(!bears(value, token) || mentions(value, token), "what bears a token mentions it");
  const std::string itself(token);
  for (const auto* scheme : {"Bearer ", "bEARER  "}) {
    expect(bears(scheme + itself, token), "the token is its own");
    expect(!bears(scheme + itself + "x", token), "a longer token is another");
    expect(!bears(scheme + itself.substr(1), token), "a shorter token is another");
  }
  return 0;
}
