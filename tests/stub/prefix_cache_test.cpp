// SPDX-License-Identifier: MIT
#include "http_client.hpp"
#include "stub_process.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace json = boost::json;

namespace {

std::string completion(const std::string& prompt) {
  return json::serialize(json::object{{"prompt", prompt}});
}

std::int64_t cached_tokens(http_client& client, const std::string& prompt) {
  const auto answer = client.post("/v1/completions", completion(prompt));
  return json::parse(answer.body)
      .at_pointer("/usage/prompt_tokens_details/cached_tokens")
      .as_int64();
}

/// Text without repetition, so that equal blocks mean equal places.
std::string text(std::size_t characters, unsigned seed) {
  std::string result;
  for (std::size_t i = 0; result.size() < characters; ++i) {
    result += std::to_string(seed) + "." + std::to_string(i) + " ";
  }
  result.resize(characters);
  return result;
}

}  // namespace

TEST_CASE("a turn that extends an earlier one reuses its whole blocks of 64 bytes") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const auto first = text(200, 1);
  CHECK(cached_tokens(client, first) == 0);
  CHECK(cached_tokens(client, first + text(300, 2)) == 3 * 64 / 4);
}

TEST_CASE("a chat turn reuses the transcript that came before it") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  json::array messages{json::object{{"role", "user"}, {"content", text(500, 1)}}};
  const auto turn = [&] {
    const auto answer =
        client.post("/v1/chat/completions", json::serialize(json::object{{"messages", messages}}));
    return json::parse(answer.body)
        .at_pointer("/usage/prompt_tokens_details/cached_tokens")
        .as_int64();
  };
  CHECK(turn() == 0);
  messages.push_back(json::object{{"role", "assistant"}, {"content", "an answer"}});
  messages.push_back(json::object{{"role", "user"}, {"content", "more"}});
  CHECK(turn() == 7 * 64 / 4);
}

TEST_CASE("a block counts only behind the same beginning") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const auto head = text(64, 1);
  const auto tail = text(256, 2);
  CHECK(cached_tokens(client, head + tail) == 0);
  CHECK(cached_tokens(client, text(64, 3) + tail) == 0);
}

TEST_CASE("the cache is bounded and the least recently used conversation goes first") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0", "--cache-blocks", "8"});
  http_client client(stub.port());
  const auto a = text(4 * 64, 1);
  const auto b = text(4 * 64, 2);
  cached_tokens(client, a);
  cached_tokens(client, b);
  CHECK(cached_tokens(client, a) == 4 * 16);
  cached_tokens(client, text(2 * 64, 3));
  CHECK(cached_tokens(client, a) == 4 * 16);
  CHECK(cached_tokens(client, b) == 2 * 16);  // lost its end, kept its beginning
}

TEST_CASE("time to first token grows with what is not cached") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0", "--prefill-ms", "100"});
  http_client client(stub.port());
  const auto prompt = text(3008, 1);  // 47 whole blocks
  const auto timed = [&] {
    const auto begin = std::chrono::steady_clock::now();
    client.post("/v1/completions", completion(prompt));
    return std::chrono::steady_clock::now() - begin;
  };
  const auto cold = timed();
  const auto warm = timed();
  CHECK(cold >= std::chrono::milliseconds(300));
  CHECK(warm < cold / 2);
}
