// SPDX-License-Identifier: MIT
#include "prompt.hpp"

#include <boost/json.hpp>

#include <cstdint>

namespace json = boost::json;

namespace fleet::stub {
namespace {

/// The parser is recursive; this many levels fit any stack, also under a sanitizer.
constexpr std::size_t max_depth = 2000;

std::string as_text(const json::value& part) {
  return part.is_string() ? std::string(part.get_string()) : json::serialize(part);
}

/// One message (or one item of `input`) on its own lines. What is no object stands for itself.
std::string message_text(const json::value& message) {
  const auto* fields = message.if_object();
  if (fields == nullptr) {
    return as_text(message) + "\n";
  }
  const auto* role = fields->if_contains("role");
  const auto* content = fields->if_contains("content");
  if (content == nullptr || content->is_null()) {
    return json::serialize(message) + "\n";  // tool calls and the like: the whole of it
  }
  return (role != nullptr ? as_text(*role) : std::string("?")) + ": " + as_text(*content) + "\n";
}

std::string transcript(const json::value& turns) {
  const auto* list = turns.if_array();
  if (list == nullptr) {
    return as_text(turns);
  }
  std::string text;
  for (const auto& turn : *list) {
    text += message_text(turn);
  }
  return text;
}

const char* prompt_key(dialect which) {
  switch (which) {
    case dialect::completions:
      return "prompt";
    case dialect::chat:
      return "messages";
    case dialect::responses:
    case dialect::embeddings:
      return "input";
  }
  return "";
}

bool is_true(const json::object& in, const char* key) {
  const auto* found = in.if_contains(key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

std::optional<std::size_t> token_limit(const json::object& body) {
  for (const char* key : {"max_completion_tokens", "max_output_tokens", "max_tokens"}) {
    const auto* found = body.if_contains(key);
    if (found != nullptr && found->is_int64() && found->get_int64() >= 0) {
      return static_cast<std::size_t>(found->get_int64());
    }
  }
  return std::nullopt;
}

prompt_request unread(std::string_view body) {
  const bool stream = body.find("\"stream\":true") != std::string_view::npos ||
                      body.find("\"stream\": true") != std::string_view::npos;
  return {.prompt = std::string(body), .stream = stream};
}

outcome<prompt_request> read_object(dialect which, const json::object& body) {
  const auto* turns = body.if_contains(prompt_key(which));
  const bool usable = turns != nullptr && (turns->is_array() || turns->is_string()) &&
                      (which != dialect::chat || turns->is_array());
  if (!usable) {
    return failure{std::string("'") + prompt_key(which) + "' is missing or has the wrong type"};
  }
  prompt_request result;
  for (const char* key : {"tools", "instructions"}) {
    if (const auto* before = body.if_contains(key)) {
      result.prompt += as_text(*before) + "\n";
    }
  }
  result.prompt += transcript(*turns);
  if (const auto* model = body.if_contains("model"); model != nullptr && model->is_string()) {
    result.model = std::string(model->get_string());
  }
  result.stream = is_true(body, "stream");
  const auto* about_stream = body.if_contains("stream_options");
  result.include_usage = about_stream != nullptr && about_stream->is_object() &&
                         is_true(about_stream->get_object(), "include_usage");
  result.max_tokens = token_limit(body);
  return result;
}

}  // namespace

outcome<prompt_request> read_prompt(dialect which, std::string_view body) {
  json::error_code failed;
  json::parse_options limits;
  limits.max_depth = max_depth;
  const auto document = json::parse({body.data(), body.size()}, failed, {}, limits);
  if (failed == json::error::too_deep) {
    return unread(body);
  }
  if (failed || !document.is_object()) {
    return failure{"the body is not a JSON object"};
  }
  return read_object(which, document.get_object());
}

}  // namespace fleet::stub
