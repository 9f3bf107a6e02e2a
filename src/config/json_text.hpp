// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace fleet {

/// Parses a whole JSON text, nesting depth up to 32. Failures begin with `file`: a syntax error
/// says line and column (both from 1, columns in bytes); a key given twice in one object, which
/// Boost.JSON would silently accept, says where, e.g. `f.json: hosts[0].model: given twice`.
[[nodiscard]] outcome<boost::json::value> parse_json_text(std::string_view text,
                                                          std::string_view file);

}  // namespace fleet
