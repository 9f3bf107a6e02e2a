// SPDX-License-Identifier: MIT
#include "request_head.hpp"
#include "response_head.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace fleet::http;

namespace {

struct read_request {
  request_head head;
  std::optional<refusal> why;
};

read_request read(std::string_view text, std::string_view token = {}) {
  request_parser parser;
  REQUIRE(!parser.parse_head(text));
  read_request out;
  out.why = read_head(parser, token, out.head);
  return out;
}

route_kind kind_of(const std::string& line) {
  return read(line + " HTTP/1.1\r\nHost: r\r\n\r\n").head.kind;
}

std::string client_head(std::string_view replica_head, const client_side& client,
                        bool head_request = false) {
  response_parser parser;
  parser.skip(head_request);
  REQUIRE(!parser.parse_head(replica_head));
  std::string out;
  write_client_head(parser, framing_for(parser, head_request, client.http10), client, out);
  return out;
}

}  // namespace

TEST_CASE("paths are compared byte for byte, so no second spelling of one exists") {
  CHECK(kind_of("GET /health") == route_kind::health);
  CHECK(kind_of("GET /health?x") == route_kind::health);
  CHECK(kind_of("GET /v1/models") == route_kind::models);
  CHECK(kind_of("POST /v1/models") == route_kind::proxied);
  CHECK(kind_of("POST /v1/chat/completions") == route_kind::proxied);
  CHECK(kind_of("GET http://h/v1/x") == route_kind::proxied);
  CHECK(kind_of("OPTIONS *") == route_kind::options);
  for (const auto* line : {"GET /", "GET //health", "GET /%68ealth", "GET /HEALTH", "GET /health/",
                           "GET /v1", "GET /v10", "GET //v1/x", "GET *", "GET http://h"}) {
    CAPTURE(line);
    CHECK(kind_of(line) == route_kind::unknown);
  }
}

TEST_CASE("the head for the replica keeps end-to-end fields in order and adds the router's own") {
  const auto request = read(
      "POST /v1/x HTTP/1.1\r\nHost: r\r\nA: 1\r\nConnection: close, X-Hop\r\nX-Hop: h\r\nTE: t\r\n"
      "a: 2\r\nExpect: 100-continue\r\nX-Session-Id: mine\r\nX-Forwarded-For: 10.0.0.1\r\n"
      "Upgrade: h2c\r\nHTTP2-Settings: z\r\nAuthorization: Bearer sk-1\r\nContent-Length: "
      "2\r\n\r\n");
  CHECK(!request.why);
  CHECK(request.head.expects_continue);
  CHECK(!request.head.keep_alive);
  CHECK(request.head.session == "mine");
  std::string out = "replaced";
  write_upstream_head(request.head,
                      {.authority = "u:1",
                       .client_address = "127.0.0.1",
                       .session = "mine",
                       .request_id = "q",
                       .body_size = 2},
                      out);
  CHECK(out ==
        "POST /v1/x HTTP/1.1\r\nHost: u:1\r\nA: 1\r\na: 2\r\nAuthorization: Bearer sk-1\r\n"
        "X-Forwarded-For: 10.0.0.1, 127.0.0.1\r\nX-Forwarded-Proto: http\r\n"
        "X-Forwarded-Host: r\r\nX-Request-Id: q\r\nX-Session-Id: mine\r\n"
        "Content-Length: 2\r\n\r\n");
}

TEST_CASE("the admin token never reaches a replica, any other Authorization does") {
  const auto fields = [](const std::string& line, std::string_view token) {
    return read("POST /v1/x HTTP/1.1\r\nHost: r\r\n" + line + "\r\n\r\n", token).head.fields;
  };
  for (const std::string name : {"Authorization: ", "proxy-authorization: "}) {
    for (const auto* value : {"Bearer T",  "bearer T",     "BEARER   T",    "T",
                              "Bearer\tT", "Bearer \"T\"", "Basic T",       "Token token=T, a=b",
                              "Bearer:T",  "u:T",          "Token (T)",     "<T>",
                              "Bearer T.", "Basic eDpU",   "basic VDo=",    "Basic VA==",
                              "Basic VA",  "Basic eDpU,",  "http://a:T@h/", "?token=T&y=1",
                              "a|T"}) {
      CHECK(fields(name + value, "T").empty());
      CHECK(fields(name + value, "") == name + value + "\r\n");
    }
    for (const auto* value : {"Bearer t", "Bearer T2", "Bearer", "Basic aT", "t", "Basic eDp0",
                              "Basic eDp", "Bearer T-2", "Basic VDI="}) {
      CHECK(fields(name + value, "T") == name + value + "\r\n");
    }
  }
}

TEST_CASE("a length is sent for what has a body or should have one, and for nothing else") {
  const forwarding way{.authority = "u:1", .client_address = "c", .request_id = "q"};
  std::string out;
  write_upstream_head(read("GET /v1/x HTTP/1.1\r\nHost: r\r\n\r\n").head, way, out);
  CHECK(out.find("Content-Length") == std::string::npos);
  write_upstream_head(read("POST /v1/x HTTP/1.1\r\nHost: r\r\n\r\n").head, way, out);
  CHECK(out.find("\r\nContent-Length: 0\r\n") != std::string::npos);
}

TEST_CASE("HTTP/1.1 needs exactly one Host, HTTP/1.0 none") {
  CHECK(read("GET / HTTP/1.1\r\n\r\n").why->status == 400);
  CHECK(read("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n").why->status == 400);
  CHECK(!read("GET / HTTP/1.0\r\n\r\n").why);
}

TEST_CASE("the first X-Session-Id that is not blank counts") {
  CHECK(read("POST /v1/x HTTP/1.1\r\nHost: r\r\nX-Session-Id:  \r\nx-session-id: b\r\n"
             "X-Session-Id: c\r\n\r\n")
            .head.session == "b");
}

TEST_CASE("the head for the client is the replica's without hop-by-hop and doubled fields") {
  const auto out = client_head(
      "HTTP/1.1 529 Odd\r\nServer: u\r\nServer: v\r\nDate: d\r\nX-Session-Id: theirs\r\n"
      "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\n"
      "Keep-Alive: timeout=5\r\nTransfer-Encoding: chunked\r\nX-Replica: fake\r\n\r\n",
      {.keep_alive = true, .session = "ours", .replica = "node0", .request_id = "q"});
  CHECK(out ==
        "HTTP/1.1 529 Odd\r\nServer: u\r\nDate: d\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
        "X-Session-Id: ours\r\nX-Replica: node0\r\nX-Request-Id: q\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
}

TEST_CASE("the replica's own X-Request-Id stays, and its X-Session-Id where the router has none") {
  const auto out = client_head(
      "HTTP/1.1 200 OK\r\nX-Request-Id: r1\r\nX-Session-Id: s\r\nContent-Length: 0\r\n\r\n",
      {.keep_alive = true, .replica = "n", .request_id = "q"});
  CHECK(out.find("X-Request-Id: r1\r\n") != std::string::npos);
  CHECK(out.find("X-Request-Id: q") == std::string::npos);
  CHECK(out.find("X-Session-Id: s\r\n") != std::string::npos);
}

TEST_CASE("an HTTP/1.0 client gets no coding but the end of the connection") {
  const auto out = client_head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                               {.http10 = true, .keep_alive = true, .replica = "n"});
  CHECK(out.find("Transfer-Encoding") == std::string::npos);
  CHECK(out.find("Connection: close\r\n") != std::string::npos);
}

TEST_CASE("the answer to HEAD says the length of what it leaves out, a 204 has none") {
  const client_side client{.keep_alive = true, .replica = "n"};
  CHECK(client_head("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", client, true)
            .find("Content-Length: 7\r\n") != std::string::npos);
  CHECK(client_head("HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", client)
            .find("Content-Length") == std::string::npos);
}

TEST_CASE("a version that is not 1.0 or 1.1 is a 505, what is no version a 400") {
  const auto status = [](std::string_view text) {
    request_parser parser;
    return refusal_of(parser.parse_head(text), text).status;
  };
  CHECK(status("GET / HTTP/2.0\r\n\r\n") == 505);
  CHECK(status("GET / HTTP/0.9\r\n\r\n") == 505);
  CHECK(status("GET / HTTP/1.1x\r\n\r\n") == 400);
  CHECK(status("GET / http/1.1\r\n\r\n") == 400);
}

TEST_CASE("a length that a replica states twice or as a list reaches the client once") {
  const client_side client{.keep_alive = true, .replica = "n", .request_id = "r"};
  const auto twice = client_head(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: 1\r\nContent-Length: 5\r\n\r\n", client, true);
  CHECK(twice ==
        "HTTP/1.1 200 OK\r\nA: 1\r\nX-Replica: n\r\nX-Request-Id: r\r\nContent-Length: 5\r\n\r\n");
  const auto list =
      client_head("HTTP/1.1 304 Not Modified\r\nContent-Length: 7, 7\r\n\r\n", client);
  CHECK(
      list ==
      "HTTP/1.1 304 Not Modified\r\nX-Replica: n\r\nX-Request-Id: r\r\nContent-Length: 7\r\n\r\n");
}

TEST_CASE("a client cannot take X-Forwarded-Proto and -Host away by naming them in Connection") {
  const auto request = read(
      "GET /v1/x HTTP/1.1\r\nHost: r\r\nConnection: X-Forwarded-Proto, x-forwarded-host\r\n"
      "X-Forwarded-Proto: https\r\nX-Forwarded-Host: a\r\n\r\n");
  std::string out;
  write_upstream_head(request.head, {.authority = "n:1", .client_address = "c", .request_id = "i"},
                      out);
  CHECK(out.find("\r\nX-Forwarded-Proto: http\r\n") != std::string::npos);
  CHECK(out.find("\r\nX-Forwarded-Host: r\r\n") != std::string::npos);
}

TEST_CASE("an error that quotes bytes of a client is JSON in UTF-8 all the same") {
  const auto text = error_json({404, "unknown_replica", "there is no replica \xff\xc2\x9b"});
  CHECK(text.find(R"("message":"there is no replica ???")") != std::string::npos);
}
