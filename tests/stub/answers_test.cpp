// SPDX-License-Identifier: MIT
#include "http_client.hpp"
#include "stub_process.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace json = boost::json;

namespace {

const std::string hello = R"({"model":"m","messages":[{"role":"user","content":"Hello"}]})";

/// The value a JSON pointer names, strings without their quotes.
std::string at(const std::string& text, const char* pointer) {
  const auto document = json::parse(text);
  const auto& found = document.at_pointer(pointer);
  return found.is_string() ? std::string(found.get_string()) : json::serialize(found);
}

/// The data of each event of a stream, in order.
std::vector<std::string> events_of(const std::string& stream) {
  std::vector<std::string> events;
  for (std::size_t from = 0; (from = stream.find("data: ", from)) != std::string::npos;) {
    const auto end = stream.find("\n\n", from);
    events.push_back(stream.substr(from + 6, end - from - 6));
    from = end;
  }
  return events;
}

}  // namespace

TEST_CASE("any pypto-serving command line starts it") {
  stub_process stub({"--model", "/models/Qwen3-14B", "--devices", "0,1", "--dp", "8", "--ep=8",
                     "--show-startup-logs", "--max-num-seqs", "16", "--speculative-config",
                     R"({"method":"mtp"})", "--no-enable-prefix-caching"});
  http_client client(stub.port());
  CHECK(client.get("/health").status == 200);
  CHECK(at(client.get("/v1/models").body, "/data/0/id") == "Qwen3-14B");
}

TEST_CASE("a chat turn is answered in OpenAI's shape and says which replica spoke") {
  stub_process stub({"--served-model-name", "qwen", "--tokens", "4", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const auto answer = client.post("/v1/chat/completions", hello);
  REQUIRE(answer.status == 200);
  const auto port = std::to_string(stub.port());
  CHECK(answer.header("X-Stub-Port") == port);
  CHECK(at(answer.body, "/object") == "chat.completion");
  CHECK(at(answer.body, "/model") == "qwen");
  CHECK(at(answer.body, "/choices/0/message/role") == "assistant");
  CHECK(at(answer.body, "/choices/0/message/content") == "replica " + port + ": the same");
  CHECK(at(answer.body, "/choices/0/finish_reason") == "stop");
  CHECK(at(answer.body, "/usage/completion_tokens") == "4");
}

TEST_CASE("max_tokens shortens an answer and its finish_reason says so") {
  stub_process stub({"--name", "n0", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const auto answer = client.post("/v1/completions", R"({"prompt":"x","max_tokens":2})");
  CHECK(at(answer.body, "/object") == "text_completion");
  CHECK(at(answer.body, "/choices/0/text") == "replica n0:");
  CHECK(at(answer.body, "/choices/0/finish_reason") == "length");
}

TEST_CASE("a streamed chat turn opens with the role, ends with usage and DONE") {
  stub_process stub({"--tokens", "3", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const auto answer = client.post(
      "/v1/chat/completions",
      R"({"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]})");
  CHECK(answer.header("Content-Type").starts_with("text/event-stream"));
  CHECK(answer.complete);
  const auto events = events_of(answer.body);
  REQUIRE(events.size() == 7);  // role, three tokens, finish, usage, DONE
  CHECK(at(events[0], "/choices/0/delta/role") == "assistant");
  CHECK(at(events[1], "/choices/0/delta/content") == "replica");
  CHECK(at(events[1], "/object") == "chat.completion.chunk");
  CHECK(at(events[4], "/choices/0/finish_reason") == "stop");
  CHECK(at(events[5], "/usage/completion_tokens") == "3");
  CHECK(events[6] == "[DONE]");
}

TEST_CASE("a client of HTTP/1.0 gets the raw events and the end of the connection") {
  stub_process stub({"--tokens", "2", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const std::string body = R"({"stream":true,"prompt":"x"})";
  client.send("POST /v1/completions HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  const auto answer = client.read_answer();
  CHECK(answer.header("Transfer-Encoding").empty());
  CHECK(events_of(answer.body).size() == 4);
}

TEST_CASE("responses and embeddings answer in their own shapes") {
  stub_process stub({"--tokens", "2", "--token-delay-ms", "0", "--name", "n0"});
  http_client client(stub.port());
  const auto whole = client.post("/v1/responses", R"({"input":"x"})");
  CHECK(at(whole.body, "/output/0/content/0/text") == "replica n0:");
  CHECK(at(whole.body, "/usage/output_tokens") == "2");
  const auto stream = client.post("/v1/responses", R"({"input":"x","stream":true})");
  CHECK(at(events_of(stream.body).back(), "/type") == "response.completed");
  const auto events = events_of(stream.body);
  REQUIRE(events.size() == 9);  // created, item and part added, two tokens, three done, completed
  CHECK(at(events[1], "/type") == "response.output_item.added");
  CHECK(at(events[2], "/part/text").empty());
  CHECK(at(events[4], "/delta") == " n0:");
  CHECK(at(events[5], "/text") == "replica n0:");
}

TEST_CASE("each input of an embeddings request gets its own vector, as numbers or as base64") {
  stub_process stub({});
  http_client client(stub.port());
  const auto one = client.post("/v1/embeddings", R"({"input":"x"})").body;
  const auto two = client.post("/v1/embeddings", R"({"input":["x","y"]})").body;
  CHECK(json::parse(one).at_pointer("/data/0/embedding").as_array().size() == 8);
  CHECK(at(one, "/data/0/embedding") == at(two, "/data/0/embedding"));
  CHECK(at(two, "/data/0/embedding") != at(two, "/data/1/embedding"));
  CHECK(at(two, "/data/1/index") == "1");
  const auto tokens = client.post("/v1/embeddings", R"({"input":[1,2]})").body;
  CHECK(json::parse(tokens).at("data").as_array().size() == 1);
  const auto packed =
      client.post("/v1/embeddings", R"({"input":"x","encoding_format":"base64"})").body;
  CHECK(at(packed, "/data/0/embedding").size() == 44);  // 32 bytes
  CHECK(at(packed, "/data/0/embedding").ends_with("="));
}

TEST_CASE("a chat turn that offers tools is a call of the first when the knob says so") {
  stub_process stub({"--call-tools", "--name", "n0", "--tokens", "2", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"look","parameters":{}}}])";
  const auto ask = [&](const std::string& more, const std::string& role) {
    return client
        .post("/v1/chat/completions",
              "{" + tools + more + R"(,"messages":[{"role":")" + role + R"(","content":"x"}]})")
        .body;
  };
  const auto whole = ask("", "user");
  CHECK(at(whole, "/choices/0/finish_reason") == "tool_calls");
  CHECK(at(whole, "/choices/0/message/tool_calls/0/function/name") == "look");
  const auto* arguments = "/choices/0/message/tool_calls/0/function/arguments";
  CHECK(at(at(whole, arguments), "/text") == "replica n0:");
  CHECK(at(ask("", "tool"), "/choices/0/message/content") == "replica n0:");
  CHECK(at(ask(R"(,"tool_choice":"none")", "user"), "/choices/0/finish_reason") == "stop");

  const auto events = events_of(ask(R"(,"stream":true)", "user"));
  REQUIRE(events.size() == 6);  // opening, two tokens, the end of the arguments, finish, DONE
  CHECK(at(events[0], "/choices/0/delta/tool_calls/0/function/name") == "look");
  std::string pieces;
  for (std::size_t i = 0; i < 4; ++i) {
    pieces += at(events[i], "/choices/0/delta/tool_calls/0/function/arguments");
  }
  CHECK(at(pieces, "/text") == "replica n0:");
  CHECK(at(events[4], "/choices/0/finish_reason") == "tool_calls");
}

TEST_CASE("what is no request for a model is refused in OpenAI's shape") {
  stub_process stub({});
  http_client client(stub.port());
  CHECK(client.post("/v1/chat/completions", "no json").status == 400);
  const auto missing = client.post("/v1/chat/completions", R"({"prompt":"x"})");
  CHECK(missing.status == 400);
  CHECK(at(missing.body, "/error/code") == "bad_request");
  CHECK(client.post("/v1/chat/completions", R"({"messages":"x"})").status == 400);
  CHECK(client.get("/v1/chat/completions").header("Allow") == "POST");
  CHECK(client.get("/nowhere").status == 404);
  client.send("this is no HTTP\r\n\r\n");
  CHECK(client.read_answer().status == 400);
}

TEST_CASE("a body nested deeper than the parser goes is still answered") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  for (const std::size_t depth : {1'000, 100'000}) {
    const auto answer =
        client.post("/v1/completions", R"({"prompt":"x","tools":)" + std::string(depth, '[') +
                                           std::string(depth, ']') + "}");
    CHECK(answer.status == 200);
  }
}

TEST_CASE("a body of 64 MB is taken and one above 100 MB is refused") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  const std::string body = R"({"prompt":")" + std::string(std::size_t{64} << 20, 'a') + R"("})";
  CHECK(client.post("/v1/completions", body).status == 200);
  client.send("POST /v1/completions HTTP/1.1\r\nContent-Length: 104857601\r\n\r\n");
  CHECK(client.read_answer().status == 413);
}

TEST_CASE("an expected 100-continue is sent before the body is read") {
  stub_process stub({"--tokens", "1", "--token-delay-ms", "0"});
  http_client client(stub.port());
  client.send(
      "POST /v1/completions HTTP/1.1\r\nContent-Length: 14\r\nExpect: 100-continue\r\n\r\n");
  REQUIRE(client.read_until("HTTP/1.1 100 Continue\r\n\r\n"));
  client.send(R"({"prompt":"x"})");
  CHECK(client.read_until("HTTP/1.1 200 OK\r\n"));
}
