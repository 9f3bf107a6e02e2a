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

/// Calls `seen(name, value, line)` for each of these field lines, as request_head has them.
void each_line(std::string_view fields, auto seen) {
  while (!fields.empty()) {
    const auto line = fields.substr(0, fields.find("\r\n") + 2);
    fields.remove_prefix(line.size());
    const auto colon = line.find(": ");
    seen(line.substr(0, colon), line.substr(colon + 2, line.size() - colon - 4), line);
  }
}

}  // namespace fleet::http
