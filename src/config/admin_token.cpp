// SPDX-License-Identifier: MIT
#include "admin_token.hpp"

#include "text_file.hpp"

#include <algorithm>
#include <cstddef>

namespace fleet {

namespace {

constexpr std::size_t longest = 4096;

}  // namespace

std::string wrong_token(std::string_view token) {
  const bool visible =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || token.size() > longest || !visible) {
    return "a token of 1 to " + std::to_string(longest) + " visible ASCII characters";
  }
  return {};
}

outcome<std::string> read_token_file(const std::string& path) {
  auto text = read_text_file(path, longest + 2);
  if (!text) {
    return text;
  }
  for (const char end : {'\n', '\r'}) {
    if (text->ends_with(end)) {
      text->pop_back();
    }
  }
  if (const auto wanted = wrong_token(*text); !wanted.empty()) {
    return failure{path + ": expected " + wanted};
  }
  return text;
}

}  // namespace fleet
