// SPDX-License-Identifier: MIT
#include "bearer.hpp"

#include "fleet/core/header_rules.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string>

namespace fleet::http {

namespace {

bool is_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_';
}

/// In constant time at each place: whoever may choose the rest of a value must not learn by it.
bool holds_word(std::string_view value, std::string_view token) {
  if (token.empty()) {
    return false;
  }
  for (std::size_t at = 0; at + token.size() <= value.size(); ++at) {
    const auto end = at + token.size();
    const bool whole =
        (at == 0 || !is_of_word(value[at - 1])) && (end == value.size() || !is_of_word(value[end]));
    if (whole && CRYPTO_memcmp(value.data() + at, token.data(), token.size()) == 0) {
      return true;
    }
  }
  return false;
}

/// What the base64 at the front of this says, padded or not; empty when it is none.
std::string decoded(std::string_view value) {
  const auto is_base64 = [](char c) {
    return (is_of_word(c) && c != '-' && c != '_') || c == '+' || c == '/';
  };
  const auto* const end = std::find_if_not(value.begin(), value.end(), is_base64);
  std::string digits(value.begin(), end);
  digits.resize((digits.size() + 3) / 4 * 4, '=');
  std::string text(digits.size() / 4 * 3, '\0');
  const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                    reinterpret_cast<const unsigned char*>(digits.data()),
                                    static_cast<int>(digits.size()));
  // It counts the padding as bytes, and zero bytes they are.
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

}  // namespace

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
  if (holds_word(value, token)) {
    return true;
  }
  static constexpr std::string_view scheme = "Basic ";
  return value.size() > scheme.size() && same_token(value.substr(0, scheme.size()), scheme) &&
         holds_word(decoded(value.substr(scheme.size())), token);
}

}  // namespace fleet::http
