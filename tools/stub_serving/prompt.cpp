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

/// The name of the first function that `body` offers; empty when its last message is the result of
/// one, or none may be called.
std::string offered_tool(const json::object& body) {
  const json::value whole(body);
  boost::system::error_code none;
  const auto* name = whole.find_pointer("/tools/0/function/name", none);
  const auto* choice = body.if_contains("tool_choice");
  const bool forbidden = choice != nullptr && *choice == "none";
  if (name == nullptr || !name->is_string() || forbidden) {
    return {};
  }
  const auto& turns = whole.at("messages").as_array();
  const auto* last = turns.empty() ? nullptr : turns.back().if_object();
  const auto* role = last == nullptr ? nullptr : last->if_contains("role");
  return role != nullptr && *role == "tool" ? std::string{} : std::string(name->get_string());
}

/// A text, or a list of them; a list of tokens is one text.
std::vector<std::string> texts_of(const json::value& input) {
  const auto* list = input.if_array();
  if (list == nullptr || list->empty() || list->front().is_number()) {
    return {as_text(input)};
  }
  std::vector<std::string> texts;
  for (const auto& one : *list) {
    texts.push_back(as_text(one));
  }
  return texts;
}

prompt_request unread(std::string_view body) {
  const bool stream = body.find("\"stream\":true") != std::string_view::npos ||
                      body.find("\"stream\": true") != std::string_view::npos;
  prompt_request result;
  result.prompt = std::string(body);
  result.stream = stream;
  result.inputs = {result.prompt};
  return result;
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
  if (which == dialect::chat) {
    result.tool = offered_tool(body);
  }
  if (which == dialect::embeddings) {
    result.inputs = texts_of(*turns);
    const auto* format = body.if_contains("encoding_format");
    result.base64 = format != nullptr && *format == "base64";
  }
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
