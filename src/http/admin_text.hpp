// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <string>
#include <string_view>

namespace fleet::http {

/// The slot that the body of a POST /replicas asks for; empty: any. The failure says what a body
/// may be. Contract section 6.
[[nodiscard]] outcome<std::string> slot_asked_for(std::string_view body);

/// `%XX` decoded; any other character is kept.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace fleet::http
