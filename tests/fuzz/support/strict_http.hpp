// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet::fuzz {

/// One message as a reader sees it that knows RFC 9112 only and forgives nothing. It shares no code
/// with the router's.
struct strict_message {
  std::string start;  ///< the request or status line
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;

  /// The values of all fields of this name, in any case.
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return !all(name).empty(); }
};

/// What stands in the way of a body where the fields alone do not say.
enum class body_rule : unsigned char { request, answer, no_body };

/// Takes one whole message off the front of `bytes`. Nothing, and `bytes` as before, when there is
/// none: it is incomplete, or two readers could differ over it. An answer without a length goes on
/// to the end of `bytes`.
[[nodiscard]] std::optional<strict_message> take_message(std::string_view& bytes, body_rule rule);

[[nodiscard]] std::string lower(std::string_view text);

/// Whether a comma-separated list holds `token`, in any case.
[[nodiscard]] bool lists(std::string_view list, std::string_view token);

/// Whether `word` stands in a field's value with nothing on either side that could be more of it.
[[nodiscard]] bool holds_word(std::string_view value, std::string_view word);

/// Whether fields of this name end at each hop: RFC 9110 7.6.1, and what goes with an upgrade.
[[nodiscard]] bool ends_here(std::string_view name);

}  // namespace fleet::fuzz
