// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleet::http {

/// The slot that the body of a POST /replicas asks for; empty: any. The failure says what a body
/// may be. Contract section 6.
[[nodiscard]] outcome<std::string> slot_asked_for(std::string_view body);

/// `%XX` decoded; any other character is kept.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// What stands behind the `?` of a target.
[[nodiscard]] std::string_view query_of(std::string_view target);

/// The value a query gives for `key`, as it stands there; empty: none.
[[nodiscard]] std::string_view value_in(std::string_view query, std::string_view key);

/// The number a query gives for `key`, `fallback` when it gives none; nothing: it is no number.
[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view query, std::string_view key,
                                                     std::uint64_t fallback);

}  // namespace fleet::http
