// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/record.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace fleet {

/// RFC 3339 in UTC to the millisecond, rounded down: `2026-01-31T12:00:00.250Z`. For the years 1678
/// to 2261, which a wall_time can hold.
[[nodiscard]] std::string to_timestamp(wall_time time);

/// Reads any RFC 3339 time of these years: with or without a fraction, in `Z` or an offset. None:
/// it is no such time.
[[nodiscard]] std::optional<wall_time> parse_timestamp(std::string_view text);

}  // namespace fleet
