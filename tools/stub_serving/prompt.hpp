// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::stub {

/// The OpenAI endpoints that take a prompt.
enum class dialect { completions, chat, responses, embeddings };

/// What the stand-in needs of a request body.
struct prompt_request {
  std::string prompt;  ///< the whole transcript as one text; a later turn extends an earlier one's
  std::string model;   ///< as asked for; may be empty
  bool stream = false;
  bool include_usage = false;             ///< stream_options.include_usage
  std::optional<std::size_t> max_tokens;  ///< under any of its names
  std::string tool;                 ///< chat: the first function offered, unless its result is here
  std::vector<std::string> inputs;  ///< embeddings: one text for each vector wanted
  bool base64 = false;              ///< embeddings: encoding_format
};

/// Reads a request body. JSON nested deeper than the parser goes is no error: the body itself then
/// counts as the prompt. Otherwise what is no JSON object, or has no prompt, is refused.
[[nodiscard]] outcome<prompt_request> read_prompt(dialect which, std::string_view body);

/// A crude count: four characters are a token.
[[nodiscard]] constexpr std::size_t tokens_in(std::size_t characters) noexcept {
  return (characters + 3) / 4;
}

}  // namespace fleet::stub
