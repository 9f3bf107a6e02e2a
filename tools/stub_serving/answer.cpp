// SPDX-License-Identifier: MIT
#include "answer.hpp"

#include <boost/json.hpp>

#include <array>
#include <functional>

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

json::object response_object(const answer_head& head, std::string_view status,
                             std::string_view text) {
  json::object result{{"id", head.id},    {"object", "response"}, {"created_at", head.created},
                      {"status", status}, {"model", head.model},  {"output", json::array{}}};
  if (status == "completed") {
    json::object part{{"type", "output_text"}, {"text", text}, {"annotations", json::array{}}};
    result["output"] = json::array{json::object{{"type", "message"},
                                                {"id", "msg_" + head.id},
                                                {"status", "completed"},
                                                {"role", "assistant"},
                                                {"content", json::array{std::move(part)}}}};
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
    answer = envelope(
        head, "chat.completion",
        {{"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", finish}});
  } else {
    answer = envelope(head, "text_completion", {{"text", text}, {"finish_reason", finish}});
  }
  answer["usage"] = usage_object(head.which, used);
  return json::serialize(answer);
}

std::string embedding_answer(const answer_head& head, std::string_view prompt,
                             const token_usage& used) {
  auto seed = std::hash<std::string_view>{}(prompt);
  json::array numbers;
  for (int i = 0; i < 8; ++i) {
    numbers.push_back(static_cast<double>(seed % 2001) / 1000.0 - 1.0);
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  return json::serialize(json::object{
      {"object", "list"},
      {"data", json::array{json::object{
                   {"object", "embedding"}, {"index", 0}, {"embedding", std::move(numbers)}}}},
      {"model", head.model},
      {"usage", {{"prompt_tokens", used.prompt}, {"total_tokens", used.prompt}}}});
}

std::string opening_event(const answer_head& head) {
  switch (head.which) {
    case dialect::chat:
      return event(chunk(
          head, {{"delta", {{"role", "assistant"}, {"content", ""}}}, {"finish_reason", nullptr}}));
    case dialect::responses:
      return named_event("response.created",
                         {{"response", response_object(head, "in_progress", "")}});
    case dialect::completions:
    case dialect::embeddings:
      break;
  }
  return {};
}

std::string token_event(const answer_head& head, std::string_view token) {
  switch (head.which) {
    case dialect::chat:
      return event(chunk(head, {{"delta", {{"content", token}}}, {"finish_reason", nullptr}}));
    case dialect::responses:
      return named_event("response.output_text.delta", {{"item_id", "msg_" + head.id},
                                                        {"output_index", 0},
                                                        {"content_index", 0},
                                                        {"delta", token}});
    case dialect::completions:
    case dialect::embeddings:
      break;
  }
  return event(chunk(head, {{"text", token}, {"finish_reason", nullptr}}));
}

std::string closing_events(const answer_head& head, std::string_view text, const token_usage& used,
                           std::string_view finish, bool with_usage) {
  if (head.which == dialect::responses) {
    auto whole = response_object(head, "completed", text);
    whole["usage"] = usage_object(head.which, used);
    return named_event("response.completed", {{"response", std::move(whole)}});
  }
  json::object choice{{"finish_reason", finish}};
  if (head.which == dialect::chat) {
    choice["delta"] = json::object{};
  } else {
    choice["text"] = "";
  }
  auto events = event(chunk(head, std::move(choice)));
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
