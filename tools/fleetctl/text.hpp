// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fleet::ctl {

/// What came from elsewhere, fit for one line of a terminal: control characters, characters that
/// turn the direction of writing, and bytes that are no UTF-8 become `?`; line ends and tabs become
/// a blank.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for a text of many lines: line ends and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Columns a printable text takes on a terminal.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// At most that many columns of a printable text; what is cut ends in `...`.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t columns);

/// "0s", "12s", "5m12s", "3h20m", "4d2h".
[[nodiscard]] std::string span_text(std::chrono::nanoseconds span);

/// A UTC time as the router writes it, `2026-01-31T12:00:00Z`.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> utc_time(std::string_view text);

}  // namespace fleet::ctl
