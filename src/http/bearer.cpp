// SPDX-License-Identifier: MIT
#include "bearer.hpp"

#include "fleet/core/header_rules.hpp"

#include <openssl/crypto.h>

#include <algorithm>

namespace fleet::http {

bool bears(std::string_view authorization, std::string_view token) {
  static constexpr std::string_view scheme = "Bearer";
  auto given = authorization;
  if (token.empty() || given.size() <= scheme.size() ||
      !same_token(given.substr(0, scheme.size()), scheme) || given[scheme.size()] != ' ') {
    return false;
  }
  given.remove_prefix(std::min(given.find_first_not_of(' ', scheme.size()), given.size()));
  return given.size() == token.size() &&
         CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

bool mentions(std::string_view value, std::string_view token) {
  static constexpr std::string_view around = " \t\"',;=";
  if (token.empty() || value.size() < token.size()) {
    return false;
  }
  for (std::size_t at = 0; at + token.size() <= value.size(); ++at) {
    const auto end = at + token.size();
    const bool whole = (at == 0 || around.find(value[at - 1]) != std::string_view::npos) &&
                       (end == value.size() || around.find(value[end]) != std::string_view::npos);
    if (whole && CRYPTO_memcmp(value.data() + at, token.data(), token.size()) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace fleet::http
