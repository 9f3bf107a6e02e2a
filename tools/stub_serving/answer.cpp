// SPDX-License-Identifier: MIT
#include "answer.hpp"

#include <boost/json.hpp>

#include <array>
#include <cstring>
#include <functional>
#include <vector>

namespace json = boost::json;

namespace fleet::stub {
namespace {

std::string event(const json::value& data) {
  return "data: " + json::serialize(data) + "\n\n";
}

std::string named_event(std::string_view name, json::object data) {
  data["type"] = name;
  return "event: " + std::string(name) + "\n" + event(data);
}

json::object usage_object(dialect which, const token_usage& used) {
  const auto total = used.prompt + used.completion;
  if (which == dialect::responses) {
    return {{"input_tokens", used.prompt},
            {"input_tokens_details", {{"cached_tokens", used.cached}}},
            {"output_tokens", used.completion},
            {"output_tokens_details", {{"reasoning_tokens", 0}}},
            {"total_tokens", total}};
  }
  return {{"prompt_tokens", used.prompt},
          {"completion_tokens", used.completion},
          {"total_tokens", total},
          {"prompt_tokens_details", {{"cached_tokens", used.cached}}}};
}

/// The envelope of a completion or of one chunk of it; `choice` empty: no choices.
json::object envelope(const answer_head& head, std::string_view object, json::object choice) {
  json::array choices;
  if (!choice.empty()) {
    choice["index"] = 0;
    choice["logprobs"] = nullptr;
    choices.push_back(std::move(choice));
  }
  return {{"id", head.id},
          {"object", object},
          {"created", head.created},
          {"model", head.model},
          {"choices", std::move(choices)}};
}

json::object chunk(const answer_head& head, json::object choice) {
  const bool chat = head.which == dialect::chat;
  return envelope(head, chat ? "chat.completion.chunk" : "text_completion", std::move(choice));
}

/// `text` as the inside of a JSON string.
std::string escaped(std::string_view text) {
  const auto quoted = json::serialize(json::string(text));
  return quoted.substr(1, quoted.size() - 2);
}

/// The arguments of a called tool are one text: {"text":"..."}.
constexpr std::string_view arguments_begin = R"({"text":")";
constexpr std::string_view arguments_end = R"("})";

json::object tool_call(const answer_head& head, std::string_view arguments) {
  return {{"id", "call_" + head.id},
          {"type", "function"},
          {"function", {{"name", head.tool}, {"arguments", arguments}}}};
}

/// One piece of a chat stream: `call` is the whole or a part of a tool call.
std::string tool_chunk(const answer_head& head, json::object delta, json::object call) {
  call["index"] = 0;
  delta["tool_calls"] = json::array{std::move(call)};
  return event(chunk(head, {{"delta", std::move(delta)}, {"finish_reason", nullptr}}));
}

std::string arguments_chunk(const answer_head& head, std::string_view piece) {
  return tool_chunk(head, {}, {{"function", {{"arguments", piece}}}});
}

json::object chat_message(const answer_head& head, std::string_view text) {
  json::object message{{"role", "assistant"}, {"content", text}};
  if (!head.tool.empty()) {
    const auto arguments =
        std::string(arguments_begin) + escaped(text) + std::string(arguments_end);
    message["content"] = nullptr;
    message["tool_calls"] = json::array{tool_call(head, arguments)};
  }
  return message;
}

std::string base64_of(std::string_view bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto some = bytes.substr(at, 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (i < some.size() ? static_cast<unsigned char>(some[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= some.size() ? digits[group >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

/// Eight numbers that depend on `text`.
std::array<float, 8> vector_of(std::string_view text) {
  auto seed = std::hash<std::string_view>{}(text);
  std::array<float, 8> numbers{};
  for (auto& number : numbers) {
    number = static_cast<float>(seed % 2001) / 1000.0F - 1.0F;
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  return numbers;
}

json::object output_text(std::string_view text) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", json::array{}}};
}

json::object output_message(const answer_head& head, std::string_view status, json::array content) {
  return {{"type", "message"},
          {"id", "msg_" + head.id},
          {"status", status},
          {"role", "assistant"},
          {"content", std::move(content)}};
}

/// An event about the one part of the one message of a response.
std::string part_event(const answer_head& head, std::string_view name, json::object data) {
  data["item_id"] = "msg_" + head.id;
  data["output_index"] = 0;
  data["content_index"] = 0;
  return named_event(name, std::move(data));
}

json::object response_object(const answer_head& head, std::string_view status,
                             std::string_view text) {
  json::object result{{"id", head.id},    {"object", "response"}, {"created_at", head.created},
                      {"status", status}, {"model", head.model},  {"output", json::array{}}};
  if (status == "completed") {
    result["output"] = json::array{output_message(head, status, {output_text(text)})};
  }
  return result;
}

}  // namespace

std::string token_text(const std::string& name, std::size_t index, std::string_view echo) {
  static constexpr std::array filler{"the", "same", "card",    "still", "holds", "what",
                                     "we",  "said", "earlier", "so",    "here",  "it",
                                     "is",  "read", "back",    "again"};
  if (index == 0) {
    return "replica";
  }
  if (index > 1 && !echo.empty()) {
    return " " + std::string(echo) + "." + std::to_string(index);
  }
  return " " + (index == 1 ? name + ":" : std::string(filler[(index - 2) % filler.size()]));
}

std::string whole_answer(const answer_head& head, std::string_view text, const token_usage& used,
                         std::string_view finish) {
  json::object answer;
  if (head.which == dialect::responses) {
    answer = response_object(head, "completed", text);
  } else if (head.which == dialect::chat) {
    answer = envelope(head, "chat.completion",
                      {{"message", chat_message(head, text)}, {"finish_reason", finish}});
  } else {
    answer = envelope(head, "text_completion", {{"text", text}, {"finish_reason", finish}});
  }
  answer["usage"] = usage_object(head.which, used);
  return json::serialize(answer);
}

std::string embedding_answer(const answer_head& head, const std::vector<std::string>& inputs,
                             bool base64, const token_usage& used) {
  json::array data;
  for (const auto& input : inputs) {
    const auto numbers = vector_of(input);
    json::value embedding = json::array(numbers.begin(), numbers.end());
    if (base64) {
      std::string bytes(sizeof numbers, '\0');
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
      embedding = base64_of(bytes);
    }
    data.push_back(json::object{
        {"object", "embedding"}, {"index", data.size()}, {"embedding", std::move(embedding)}});
  }
  return json::serialize(
      json::object{{"object", "list"},
                   {"data", std::move(data)},
                   {"model", head.model},
                   {"usage", {{"prompt_tokens", used.prompt}, {"total_tokens", used.prompt}}}});
}

std::string opening_event(const answer_head& head) {
  if (head.which == dialect::chat) {
    if (!head.tool.empty()) {
      return tool_chunk(head, {{"role", "assistant"}, {"content", nullptr}},
                        tool_call(head, arguments_begin));
    }
    return event(chunk(
        head, {{"delta", {{"role", "assistant"}, {"content", ""}}}, {"finish_reason", nullptr}}));
  }
  if (head.which == dialect::responses) {
    return named_event("response.created",
                       {{"response", response_object(head, "in_progress", "")}}) +
           named_event("response.output_item.added",
                       {{"output_index", 0}, {"item", output_message(head, "in_progress", {})}}) +
           part_event(head, "response.content_part.added", {{"part", output_text("")}});
  }
  return {};
}

std::string token_event(const answer_head& head, std::string_view token) {
  if (head.which == dialect::responses) {
    return part_event(head, "response.output_text.delta", {{"delta", token}});
  }
  if (!head.tool.empty()) {
    return arguments_chunk(head, escaped(token));
  }
  if (head.which == dialect::chat) {
    return event(chunk(head, {{"delta", {{"content", token}}}, {"finish_reason", nullptr}}));
  }
  return event(chunk(head, {{"text", token}, {"finish_reason", nullptr}}));
}

std::string closing_events(const answer_head& head, std::string_view text, const token_usage& used,
                           std::string_view finish, bool with_usage) {
  if (head.which == dialect::responses) {
    auto whole = response_object(head, "completed", text);
    whole["usage"] = usage_object(head.which, used);
    return part_event(head, "response.output_text.done", {{"text", text}}) +
           part_event(head, "response.content_part.done", {{"part", output_text(text)}}) +
           named_event("response.output_item.done",
                       {{"output_index", 0},
                        {"item", output_message(head, "completed", {output_text(text)})}}) +
           named_event("response.completed", {{"response", std::move(whole)}});
  }
  json::object choice{{"finish_reason", finish}};
  if (head.which == dialect::chat) {
    choice["delta"] = json::object{};
  } else {
    choice["text"] = "";
  }
  auto events = head.tool.empty() ? std::string{} : arguments_chunk(head, arguments_end);
  events += event(chunk(head, std::move(choice)));
  if (with_usage) {
    auto last = chunk(head, {});
    last["usage"] = usage_object(head.which, used);
    events += event(last);
  }
  return events + "data: [DONE]\n\n";
}

std::string error_answer(std::string_view message, std::string_view code) {
  return json::serialize(json::object{
      {"object", "error"},
      {"message", message},
      {"error", {{"message", message}, {"type", "invalid_request_error"}, {"code", code}}}});
}

std::string model_list(const std::string& model, std::int64_t created) {
  return json::serialize(
      json::object{{"object", "list"},
                   {"data", json::array{json::object{{"id", model},
                                                     {"object", "model"},
                                                     {"created", created},
                                                     {"owned_by", "stub-serving"}}}}});
}

}  // namespace fleet::stub
