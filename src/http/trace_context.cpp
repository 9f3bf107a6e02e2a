// SPDX-License-Identifier: MIT
#include "trace_context.hpp"

#include "field_line.hpp"

#include "fleet/core/header_rules.hpp"

#include <algorithm>

namespace fleet::http {

namespace {

constexpr std::string_view parent_field = "traceparent";
constexpr std::string_view state_field = "tracestate";

/// `count` lower-case hex digits that are not all zero.
bool is_id(std::string_view text, std::size_t count) {
  return text.size() == count &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

/// version "-" trace-id "-" parent-id "-" flags; a later version may go on behind a "-".
std::string_view trace_id_of(std::string_view parent) {
  constexpr std::size_t size = 55;
  const auto version = parent.substr(0, 2);
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (parent.size() < size || version == "ff" ||
      !std::all_of(version.begin(), version.end(), hex) || parent[2] != '-' || parent[35] != '-' ||
      parent[52] != '-' || !hex(parent[53]) || !hex(parent[54]) ||
      !is_id(parent.substr(36, 16), 16)) {
    return {};
  }
  if (parent.size() > size && (version == "00" || parent[size] != '-')) {
    return {};
  }
  const auto id = parent.substr(3, 32);
  return is_id(id, 32) ? id : std::string_view{};
}

}  // namespace

std::string_view trace_id(std::string_view fields) {
  std::string_view found;
  std::size_t parents = 0;
  each_line(fields, [&](std::string_view name, std::string_view value, std::string_view /*line*/) {
    if (same_token(name, parent_field)) {
      ++parents;
      found = trace_id_of(value);
    }
  });
  return parents == 1 ? found : std::string_view{};
}

void begin_trace(request_head& head, id_source& ids) {
  bool traced = false;
  std::string kept;
  each_line(head.fields, [&](std::string_view name, std::string_view, std::string_view line) {
    traced = traced || same_token(name, parent_field);
    if (!same_token(name, state_field)) {
      kept.append(line);
    }
  });
  if (!traced) {
    head.fields = std::move(kept);
    append_line(head.fields, parent_field,
                "00-" + ids.next() + "-" + ids.next().substr(0, 16) + "-01");
  }
}

}  // namespace fleet::http
