// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace fleet::http {

/// Whether this value of an Authorization field is `Bearer`, in any case, and exactly the token,
/// compared in constant time. Never with an empty token. Contract section 6.
[[nodiscard]] bool bears(std::string_view authorization, std::string_view token);

/// Whether the token stands anywhere in this value of an Authorization field as a word of its own,
/// however it is introduced, quoted or punctuated, also inside `Basic` credentials. Never with an
/// empty token.
[[nodiscard]] bool mentions(std::string_view value, std::string_view token);

}  // namespace fleet::http
