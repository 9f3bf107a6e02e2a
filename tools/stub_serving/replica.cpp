// SPDX-License-Identifier: MIT
#include "replica.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace fleet::stub {
namespace {

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const char* id_prefix(dialect which) {
  switch (which) {
    case dialect::chat:
      return "chatcmpl-";
    case dialect::responses:
      return "resp_";
    case dialect::completions:
      return "cmpl-";
    case dialect::embeddings:
      return "embd-";
  }
  return "";
}

std::string last_word(const std::string& text) {
  const auto end = text.find_last_not_of(" \n");
  if (end == std::string::npos) {
    return {};
  }
  const auto before = text.find_last_of(" \n", end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

std::string model_name(const options& knobs) {
  if (!knobs.served_model_name.empty()) {
    return knobs.served_model_name;
  }
  const auto last = std::filesystem::path(knobs.model).filename().string();
  return last.empty() ? knobs.model : last;
}

}  // namespace

replica::replica(options knobs)
    : knobs_(std::move(knobs)), model_(model_name(knobs_)), cache_(knobs_.cache_blocks) {}

void replica::bound(std::uint16_t port) {
  port_ = port;
  name_ = knobs_.name.empty() ? std::to_string(port) : knobs_.name;
  bound_at_ = std::chrono::steady_clock::now();
}

bool replica::healthy() const {
  if (knobs_.unhealthy_after &&
      std::chrono::steady_clock::now() - bound_at_ >= *knobs_.unhealthy_after) {
    return false;
  }
  std::error_code ignored;
  return knobs_.unhealthy_file.empty() || !std::filesystem::exists(knobs_.unhealthy_file, ignored);
}

fault replica::fault_now() const {
  if (knobs_.fault_file.empty()) {
    return fault::none;
  }
  std::ifstream file(knobs_.fault_file);
  std::string word;
  file >> word;
  return word == "garbage" ? fault::garbage
         : word == "cut"   ? fault::cut
         : word == "die"   ? fault::die
                           : fault::none;
}

bool replica::refuses_turn() {
  const bool refused = refused_ < knobs_.refuse_turns;
  refused_ += refused ? 1 : 0;
  return refused;
}

turn_plan replica::plan(dialect which, prompt_request request) {
  ++count_.requests;
  const auto known = cache_.known_bytes(request.prompt);
  const auto fresh = request.prompt.size() - known;
  const bool shortened = request.max_tokens && *request.max_tokens < knobs_.tokens;

  turn_plan turn;
  turn.head = {.which = which,
               .id = id_prefix(which) + name_ + "-" + std::to_string(count_.requests),
               .created = unix_seconds(),
               .model = model_,
               .tool = knobs_.call_tools ? std::move(request.tool) : std::string{}};
  turn.used = {.prompt = tokens_in(request.prompt.size()),
               .cached = tokens_in(known),
               .completion = shortened ? *request.max_tokens : knobs_.tokens};
  turn.prefill = std::chrono::duration_cast<duration>(
      std::chrono::duration<double, std::nano>(knobs_.prefill_per_1000) *
      (static_cast<double>(fresh) / 1000.0));
  turn.finish = !turn.head.tool.empty() ? "tool_calls" : (shortened ? "length" : "stop");
  turn.inputs = std::move(request.inputs);
  turn.base64 = request.base64;
  turn.stream = request.stream;
  turn.include_usage = request.include_usage;
  turn.echo = knobs_.echo ? last_word(request.prompt) : std::string{};
  turn.prompt = std::move(request.prompt);

  count_.prompt_tokens += turn.used.prompt;
  count_.cached_tokens += turn.used.cached;
  return turn;
}

std::string replica::stats() const {
  const auto field = [](const char* name, std::uint64_t value) {
    return "\"" + std::string(name) + "\":" + std::to_string(value);
  };
  return "{" + field("requests", count_.requests) + "," + field("active", count_.active) + "," +
         field("completed", count_.completed) + "," + field("cancelled", count_.cancelled) + "," +
         field("prompt_tokens", count_.prompt_tokens) + "," +
         field("cached_tokens", count_.cached_tokens) + "}";
}

std::string replica::models() const {
  return model_list(model_, unix_seconds());
}

void replica::die_if_due() const {
  if (knobs_.die_after_requests && count_.completed >= *knobs_.die_after_requests) {
    die();
  }
}

void replica::die() const {
  std::_Exit(knobs_.die_code);
}

}  // namespace fleet::stub
