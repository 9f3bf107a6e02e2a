// SPDX-License-Identifier: MIT
#pragma once

#include "prompt.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::stub {

/// Token counts of one turn.
struct token_usage {
  std::size_t prompt = 0;
  std::size_t cached = 0;  ///< of `prompt`, found in the prefix cache
  std::size_t completion = 0;
};

/// What all pieces of one answer share.
struct answer_head {
  dialect which = dialect::chat;
  std::string id;
  std::int64_t created = 0;  ///< seconds since 1970
  std::string model;
  std::string tool;  ///< chat: the function that is called with the text; empty: it is said
};

/// The text of an answer, one token at a time: first who speaks, then filler.
/// With an `echo` that word takes the place of the filler, with the token's number: ` word.2`.
[[nodiscard]] std::string token_text(const std::string& name, std::size_t index,
                                     std::string_view echo = {});

/// A whole answer as one JSON document, in the shape of the head's dialect. `finish` is "stop",
/// "length" or "tool_calls".
[[nodiscard]] std::string whole_answer(const answer_head& head, std::string_view text,
                                       const token_usage& used, std::string_view finish);

/// The embeddings of `inputs`: for each eight numbers that depend on it, as a list or as the base64
/// of their floats.
[[nodiscard]] std::string embedding_answer(const answer_head& head,
                                           const std::vector<std::string>& inputs, bool base64,
                                           const token_usage& used);

/// Server-sent events of a streamed answer, each with its blank line: the opening, one per token,
/// and the closing, in all but the responses dialect with `data: [DONE]`. A tool's arguments come
/// in as many pieces. `with_usage` is stream_options.include_usage.
[[nodiscard]] std::string opening_event(const answer_head& head);
[[nodiscard]] std::string token_event(const answer_head& head, std::string_view token);
[[nodiscard]] std::string closing_events(const answer_head& head, std::string_view text,
                                         const token_usage& used, std::string_view finish,
                                         bool with_usage);

/// An error in OpenAI's shape.
[[nodiscard]] std::string error_answer(std::string_view message, std::string_view code);

/// What GET /v1/models answers.
[[nodiscard]] std::string model_list(const std::string& model, std::int64_t created);

}  // namespace fleet::stub
