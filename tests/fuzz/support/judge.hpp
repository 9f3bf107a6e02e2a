// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fleet::fuzz {

/// The input of a run.
[[nodiscard]] std::string_view text_of(const std::uint8_t* data, std::size_t size);

/// Ends the program unless `holds`, so that the engine keeps the input. `what` is the rule that was
/// broken, `seen` what broke it.
void expect(bool holds, std::string_view what, std::string_view seen = {});

/// `text` cut into pieces, none of them empty: 0 leaves it whole, 1 gives single bytes, any other
/// `way` lengths of 1 to 40 that depend on it and on the text alone.
[[nodiscard]] std::vector<std::string_view> cut(std::string_view text, unsigned way);

/// Whether all of it is well-formed UTF-8, by a reading of RFC 3629 of its own.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether it holds a control character: below U+0020 and not in `allowed`, U+007F, or U+0080 to
/// U+009F in UTF-8.
[[nodiscard]] bool has_control(std::string_view text, std::string_view allowed = {});

}  // namespace fleet::fuzz
