// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

std::string old_chat(std::string_view body, std::string_view fields = "") {
  return "POST /v1/chat/completions HTTP/1.0\r\n" + std::string{fields} +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

}  // namespace

TEST_CASE("D10 an HTTP/1.0 client gets a stream raw and ended by the close") {
  for (const auto* fields : {"", "Connection: keep-alive\r\n"}) {
    CAPTURE(fields);
    scripted_replica u{"u", stream_of(2, 0ms)};
    ready_router r{fleet_of({u})};
    raw_client client{r.port()};
    client.send(old_chat(R"({"stream":true})", fields));
    const auto answer = client.read_response();
    CHECK(answer.status() == 200);
    CHECK(!answer.has("Transfer-Encoding"));
    CHECK(!answer.has("Content-Length"));
    CHECK(answer.body == event_text(0) + event_text(1) + done_text);
    CHECK(answer.end == body_end::complete);
    CHECK(client.wait_end() == read_state::end);
  }
}

TEST_CASE("D10 an HTTP/1.0 client's stream cut by the replica ends by RST and not by a clean end") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.send(std::string{stream_head} + event(0));
                       turn.pause(200ms);
                       turn.close();
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(old_chat("{}"));
  const auto answer = client.read_response();
  CHECK(answer.end == body_end::reset);
}

TEST_CASE("D10 an HTTP/1.0 client without keep-alive is closed after the answer") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& bytes : {old_chat("{}"), std::string{"GET /health HTTP/1.0\r\n\r\n"}}) {
    raw_client client{r.port()};
    client.send(bytes);
    const auto answer = client.read_response();
    CHECK(answer.status() == 200);
    CHECK(answer.complete());
    CHECK(client.wait_end() == read_state::end);
  }
}

TEST_CASE("D10 an HTTP/1.0 client with keep-alive is kept when the answer has a length") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (int i = 0; i < 3; ++i) {
    client.send(old_chat("{}", "Connection: keep-alive\r\n"));
    const auto answer = client.read_response();
    CHECK(answer.status() == 200);
    CHECK(answer.has("Content-Length"));
    CHECK(same_word(answer.get("Connection"), "keep-alive"));
  }
}

TEST_CASE("D14 any three-digit status passes with its body") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (const auto* status : {"529 Site is overloaded", "299 Odd", "499 Client: closed (maybe)",
                             "599 ", "200 OK", "418 I'm a teapot", "999 Top"}) {
    CAPTURE(status);
    u.on_request(answer_with(response(status, R"({"why":"so"})")));
    client.send(chat());
    const auto plain = client.read_response();
    CHECK(plain.status() == std::stoi(status));
    CHECK(plain.body == R"({"why":"so"})");
    u.on_request(answer_with("HTTP/1.1 " + std::string{status} +
                             "\r\nTransfer-Encoding: chunked\r\n\r\n" + event(0) +
                             std::string{last_chunk}));
    client.send(chat(R"({"stream":true})"));
    const auto streamed = client.read_response();
    CHECK(streamed.status() == std::stoi(status));
    CHECK(streamed.body == event_text(0));
    CHECK(streamed.complete());
  }
}

TEST_CASE("D38 single fields are not doubled and repeated ones are all kept in order") {
  scripted_replica u{"u", answer_with(response("200 OK", "{}",
                                               "Server: u\r\n"
                                               "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                               "X-Session-Id: theirs\r\n"
                                               "X-Replica: theirs\r\n"
                                               "Set-Cookie: a=1\r\n"
                                               "Vary: Accept\r\n"
                                               "Set-Cookie: b=2\r\n"
                                               "Vary: Origin\r\n"))};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat("{}", session("mine")));
  CHECK(answer.count("Server") <= 1);
  CHECK(answer.count("Date") <= 1);
  CHECK(answer.count("Content-Length") == 1);
  CHECK(answer.count("Content-Type") == 1);
  CHECK(answer.all("X-Session-Id") == std::vector<std::string>{"mine"});
  CHECK(answer.all("X-Replica") == std::vector<std::string>{"u"});
  CHECK(answer.all("Set-Cookie") == std::vector<std::string>{"a=1", "b=2"});
  CHECK(answer.all("Vary") == std::vector<std::string>{"Accept", "Origin"});
}

TEST_CASE("D70 a replica's error to a streaming request keeps status and fields and bytes") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  const std::string body = R"({"error":{"message":"no","type":"t","code":null}})";
  for (const auto* status : {"400 Bad Request", "429 Too Many Requests", "503 Unavailable"}) {
    CAPTURE(status);
    u.on_request(answer_with(
        response(status, body, "Retry-After: 7\r\nx-should-retry: false\r\nx-request-id: r1\r\n")));
    client.send(chat(R"({"stream":true})"));
    const auto answer = client.read_response();
    CHECK(answer.status() == std::stoi(status));
    CHECK(answer.body == body);
    CHECK(answer.get("Content-Length") == std::to_string(body.size()));
    CHECK(answer.all("Retry-After") == std::vector<std::string>{"7"});
    CHECK(answer.get("x-should-retry") == "false");
    CHECK(answer.all("X-Request-Id") == std::vector<std::string>{"r1"});
  }
}

TEST_CASE("D70 a compressed error passes as it is") {
  const std::string body{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x00\xff", 12};
  scripted_replica u{"u",
                     answer_with(response("400 Bad Request", body, "Content-Encoding: gzip\r\n"))};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat(R"({"stream":true})"));
  CHECK(answer.status() == 400);
  CHECK(answer.get("Content-Encoding") == "gzip");
  CHECK(answer.body == body);
}

TEST_CASE("D86 the request target goes on byte for byte") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto host = "127.0.0.1:" + std::to_string(u.port());
  for (const std::string target : {"/v1/a%2Fb%2520c//d?x=%26&y&z=+", "/v1/%7euser/./x/..;a=b?",
                                   "/v1/x?a=b?c=d/../e&\"<>|", "/v1/\xc3\xa4"}) {
    CAPTURE(target);
    REQUIRE(exchange_once(r.port(), request("POST", target, "{}")).status() == 200);
    CHECK(u.last_request().start_line == "POST " + target + " HTTP/1.1");
    CHECK(u.last_request().all("Host") == std::vector<std::string>{host});
  }
}

TEST_CASE("D86 an absolute-form target is forwarded as its path and query") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  REQUIRE(exchange_once(r.port(), request("POST", "http://h:1/v1/q?a=1", "{}")).status() == 200);
  CHECK(u.last_request().start_line == "POST /v1/q?a=1 HTTP/1.1");
  CHECK(u.last_request().get("Host") == "127.0.0.1:" + std::to_string(u.port()));
}

TEST_CASE("an interim response of a replica is skipped") {
  scripted_replica u{"u", answer_with("HTTP/1.1 100 Continue\r\n\r\n"
                                      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
                                      response("200 OK", "{}"))};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 200);
  CHECK(answer.body == "{}");
  CHECK(!answer.has("Link"));
}

TEST_CASE("204 and 304 pass without a body and the connection stays in step") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--threads", "1"}};
  raw_client client{r.port()};
  for (const auto* head :
       {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 None\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\nETag: \"a\"\r\n\r\n"}) {
    CAPTURE(head);
    u.on_request(answer_with(head));
    client.send(chat());
    const auto answer = client.read_response();
    CHECK(answer.status() == std::stoi(std::string{head}.substr(9)));
    CHECK(!answer.has("Transfer-Encoding"));
    u.on_request(answer_ok);
    client.send(chat());
    CHECK(client.read_response().body == R"({"ok":true})");
  }
}

TEST_CASE("HEAD gives the head of the answer and no body") {
  scripted_replica u{"u", answer_with("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n")};
  ready_router r{fleet_of({u}), {"--threads", "1"}};
  raw_client client{r.port()};
  for (const auto* target : {"/v1/models", "/v1/other"}) {
    client.send("HEAD " + std::string{target} + " HTTP/1.1\r\nHost: r\r\n\r\n");
    const auto answer = client.read_response("HEAD");
    CHECK(answer.status() == 200);
    CHECK(answer.get("Content-Length") == "11");
  }
  u.on_request(answer_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  client.send("HEAD /v1/chunked HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(client.read_response("HEAD").status() == 200);
  client.send("HEAD /health HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(client.read_response("HEAD").status() == 200);
  u.on_request(answer_ok);
  client.send(chat());
  CHECK(client.read_response().body == R"({"ok":true})");
}

TEST_CASE("OPTIONS goes to the replica and OPTIONS * is answered by the router") {
  scripted_replica u{"u", answer_with("HTTP/1.1 204 No Content\r\nAllow: POST\r\n\r\n")};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send("OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: r\r\n\r\n");
  const auto answer = client.read_response("OPTIONS");
  CHECK(answer.status() == 204);
  CHECK(answer.get("Allow") == "POST");
  CHECK(u.last_request().method() == "OPTIONS");
  client.send("OPTIONS * HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(client.read_response("OPTIONS").status() == 204);
  CHECK(u.request_count() == 1);
}

TEST_CASE("a chunked request body is accepted and forwarded with its length") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  const std::string body = R"({"messages":["one","two"]})";
  for (const std::size_t piece : {1UL, 5UL, 1000UL}) {
    client.send(chunked_chat(body, piece));
    CHECK(client.read_response().status() == 200);
    CHECK(u.last_request().body == body);
    CHECK(u.last_request().get("Content-Length") == std::to_string(body.size()));
    CHECK(!u.last_request().has("Transfer-Encoding"));
  }
  // Extensions and trailers are part of the framing and end there.
  client.send(
      "POST /v1/x HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;a=\"b\"\r\nhello\r\n0\r\nX-Trailer: t\r\n\r\n");
  CHECK(client.read_response().status() == 200);
  CHECK(u.last_request().body == "hello");
  CHECK(!u.last_request().has("X-Trailer"));
}

TEST_CASE("a request that trickles in byte by byte is answered") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (const char byte : chunked_chat("{}", 1))
    client.send({&byte, 1});
  CHECK(client.read_response().status() == 200);
  CHECK(u.last_request().body == "{}");
}

TEST_CASE("an answer framed by the close is relayed whole and the client's connection is kept") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.send("HTTP/1.1 200 OK\r\n\r\nall of it");
                       turn.close();
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (int i = 0; i < 2; ++i) {
    client.send(chat());
    const auto answer = client.read_response();
    CHECK(answer.status() == 200);
    CHECK(answer.body == "all of it");
    CHECK(answer.get("Transfer-Encoding") == "chunked");
  }
}

TEST_CASE("an answer framed by the close that ends by RST cuts the client's") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.send("HTTP/1.1 200 OK\r\n\r\nall of");
                       turn.pause(200ms);
                       turn.rst();
                     }};
  ready_router r{fleet_of({u})};
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 200);
  CHECK((answer.end == body_end::cut || answer.end == body_end::reset));
}
