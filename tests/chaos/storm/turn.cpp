// SPDX-License-Identifier: MIT
#include "chaos/storm/turn.hpp"

#include "system/support/fleet_view.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>

namespace fleet::chaos {

namespace json = boost::json;

namespace {

// An error of the router that may come, and what explains it; nothing: any moment of a storm.
struct known_error {
  int status;
  std::string_view code;
  std::vector<harm> causes;
};

const std::vector<known_error>& known_errors() {
  static const std::vector<known_error> all{
      {502, "connect_failed", {}},
      {502, "replica_failed", {harm::killed, harm::frozen, harm::cut, harm::garbage}},
      {502, "bad_replica_response", {harm::garbage}},
      {503, "no_replica", {}},
      {503, "shutting_down", {harm::router}},
      {503, "overloaded", {harm::burst}},
      {504, "timeout", {harm::frozen}}};
  return all;
}

bool explained(const std::vector<harm>& causes, const turn& ended, const ledger& book) {
  return causes.empty() || std::any_of(causes.begin(), causes.end(), [&](harm cause) {
           return book.harmed({cause}, "", ended.begin, ended.end);
         });
}

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 300;
  return text.size() <= most
             ? text
             : text.substr(0, most / 2) + " ... " + text.substr(text.size() - most / 2);
}

// The text of an event stream; throws when an event is none or [DONE] is not the last.
std::string streamed_text(std::string_view body) {
  std::string text;
  while (!body.empty()) {
    const auto end = body.find("\n\n");
    if (end == std::string_view::npos || !body.starts_with("data: "))
      throw std::runtime_error{"no event: " + shortened(std::string{body})};
    const auto data = body.substr(6, end - 6);
    body.remove_prefix(end + 2);
    if (data == "[DONE]") {
      if (!body.empty())
        throw std::runtime_error{"more behind [DONE]"};
      return text;
    }
    const auto event = json::parse({data.data(), data.size()});
    const auto& delta = event.at("choices").at(0).at("delta").as_object();
    if (const auto* content = delta.if_contains("content"))
      text += json::value_to<std::string>(*content);
  }
  throw std::runtime_error{"a clean end without [DONE]"};
}

std::string plain_text(const std::string& body) {
  const auto document = json::parse(body);
  return json::value_to<std::string>(document.at("choices").at(0).at("message").at("content"));
}

void judge_text(const turn& ended, verdict& out) {
  try {
    out.text = ended.stream ? streamed_text(ended.answer.body) : plain_text(ended.answer.body);
    const auto wanted = expected_text(ended, out.replica);
    if (out.text != wanted)
      out.broken = "an answer that is framed as whole is another one or lacks pieces: wanted \"" +
                   shortened(wanted) + "\", got \"" + shortened(out.text) + "\"";
  } catch (const std::exception& wrong) {
    out.broken = std::string{"an answer that is framed as whole is none: "} + wrong.what() + ": " +
                 shortened(ended.answer.body);
  }
  out.whole = !out.broken;
}

void judge_success(const turn& ended, const ledger& book, verdict& out) {
  switch (ended.answer.end) {
    case rig::body_end::complete:
      out.kind = "whole";
      return judge_text(ended, out);
    case rig::body_end::cut:
    case rig::body_end::reset:
      out.kind = "truncated";
      if (!book.harmed({harm::killed, harm::frozen, harm::cut}, out.replica, ended.begin,
                       ended.end) &&
          !book.harmed({harm::router}, "", ended.begin, ended.end))
        out.broken = "truncated, and neither " + out.replica + " nor the router was harmed";
      return;
    case rig::body_end::late:
      out.kind = "endless";
      out.broken = "an answer without an end";
      return;
    case rig::body_end::broken:
      out.kind = "broken framing";
      out.broken = "an answer in broken chunks";
      return;
  }
}

void judge_error(const turn& ended, const ledger& book, verdict& out) {
  const auto& answer = ended.answer;
  out.kind = std::to_string(answer.status());
  if (!answer.complete() || !out.replica.empty()) {
    out.broken = "an error that is not whole or not the router's: " + answer.head + answer.body;
    return;
  }
  try {
    const auto error = rig::router_error(answer.body);
    out.kind += " " + error.code;
    const auto& all = known_errors();
    const auto known = std::find_if(all.begin(), all.end(), [&](const known_error& each) {
      return each.status == answer.status() && each.code == error.code;
    });
    const bool documented = known != all.end() && error.object == "error" &&
                            error.type == "router_error" && error.message == error.error_message &&
                            answer.has("X-Request-Id") &&
                            (answer.status() != 503 || answer.get("Retry-After") == "1");
    if (!documented)
      out.broken = "an error that is not documented: " + answer.head + answer.body;
    else if (!explained(known->causes, ended, book))
      out.broken = "an error that nothing explains: " + out.kind;
  } catch (const std::exception& wrong) {
    out.broken = std::string{"an error without the documented body: "} + wrong.what();
  }
}

void judge_silence(const turn& ended, const ledger& book, verdict& out) {
  out.kind = "no answer";
  const bool late = ended.end - ended.begin > 100s;
  if (late || !book.harmed({harm::router}, "", ended.begin, ended.end))
    out.broken = late ? "no answer in time" : "no answer, and the router was not harmed";
}

}  // namespace

std::string expected_text(const turn& asked, const std::string& replica) {
  std::string text;
  for (std::size_t i = 0; i < asked.tokens; ++i)
    text += i == 0   ? "replica"
            : i == 1 ? " " + replica + ":"
                     : " " + asked.mark + "." + std::to_string(i);
  return text;
}

std::string body_of(const turn& asked, const std::vector<std::string>& before) {
  json::array messages;
  for (std::size_t i = 0; i < before.size(); ++i)
    messages.push_back(
        json::object{{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", before[i]}});
  messages.push_back(json::object{{"role", "user"}, {"content", "please say " + asked.mark}});
  return json::serialize(json::object{{"model", "m"},
                                      {"max_tokens", asked.tokens},
                                      {"stream", asked.stream},
                                      {"messages", std::move(messages)}});
}

verdict judge(const turn& ended, const ledger& book, bool calm) {
  verdict out;
  const auto& answer = ended.answer;
  out.replica = answer.get("X-Replica");
  if (answer.status() == 0)
    judge_silence(ended, book, out);
  else if (answer.status() == 200)
    judge_success(ended, book, out);
  else
    judge_error(ended, book, out);
  const auto session = answer.get("X-Session-Id");
  if (!out.broken && answer.status() != 0 &&
      (session.empty() || (!ended.session.empty() && session != ended.session)))
    out.broken = "the session id became \"" + session + "\"";
  if (!out.broken && calm && !out.whole)
    out.broken = "a turn failed in calm: " + out.kind;
  if (out.broken)
    out.whole = false;
  return out;
}

}  // namespace fleet::chaos
