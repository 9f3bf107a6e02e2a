// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace fleet::http {

/// Appends `name: value` and the end of its line.
inline void append_line(std::string& out, std::string_view name, std::string_view value) {
  const auto begin = out.size();
  out.resize(begin + name.size() + value.size() + 4);  // one growth for all parts
  auto at = std::copy(name.begin(), name.end(), out.begin() + static_cast<std::ptrdiff_t>(begin));
  *at++ = ':';
  *at++ = ' ';
  at = std::copy(value.begin(), value.end(), at);
  *at++ = '\r';
  *at = '\n';
}

}  // namespace fleet::http
