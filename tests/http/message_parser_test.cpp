// SPDX-License-Identifier: MIT
#include "message_parser.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fleet::http;

namespace {

/// The head cut after `cut` bytes, the buffer moved in between; the error of the second call.
error_code parse_in_two(request_parser& parser, std::string_view text, std::size_t cut) {
  const std::string first(text.substr(0, cut));
  if (const auto ec = parser.parse_head(first); ec || parser.head_done()) {
    return ec;
  }
  return parser.parse_head(text);
}

template <class Parser>
error_code error_of(std::string_view text) {
  Parser parser;
  return parser.parse_head(text);
}

std::string body_of(response_parser& parser, std::string_view wire, std::size_t step) {
  std::string body;
  std::string buffer;
  for (std::size_t at = 0; at < wire.size(); at += step) {
    buffer.append(wire.substr(at, step));
    error_code ec;
    const auto used = parser.parse_body(buffer, ec);
    REQUIRE(!ec);
    for (const auto piece : parser.pieces()) {
      body.append(piece);
    }
    buffer.erase(0, used);
  }
  return body;
}

}  // namespace

TEST_CASE("a head is read alike wherever it is cut and however its buffer moves") {
  const std::string text =
      "POST /v1/x?a=%2F HTTP/1.1\r\nHost: r\r\nX-A:  one two \r\nEmpty:\r\n\r\nbody";
  const auto head = text.size() - std::string_view("body").size();
  for (std::size_t cut = 0; cut < head; ++cut) {
    CAPTURE(cut);
    request_parser parser;
    REQUIRE(!parse_in_two(parser, text, cut));
    REQUIRE(parser.head_done());
    CHECK(parser.method() == "POST");
    CHECK(parser.target() == "/v1/x?a=%2F");
    REQUIRE(parser.fields().size() == 3);
    CHECK(parser.fields()[1].name == "X-A");
    CHECK(parser.fields()[1].value == "one two");
    CHECK(parser.fields()[2].value.empty());
    CHECK(parser.head_size() == head);
  }
}

TEST_CASE("a head that HTTP/1.1 lets one read in two ways is an error") {
  const std::vector<std::string> heads = {
      "POST / HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\n",
      "POST / HTTP/1.1\nHost: r\n\n",
      "HELLO\r\n\r\n",
  };
  for (const auto& head : heads) {
    CAPTURE(head);
    CHECK(error_of<request_parser>(head));
  }
}

TEST_CASE("more fields than the limit count as a head that is too large") {
  std::string head = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= field_limit; ++i) {
    head += "A: b\r\n";
  }
  CHECK(error_of<request_parser>(head + "\r\n") == beast_http::error::header_limit);
}

TEST_CASE("a chunked body gives the same bytes at every cut, without its framing") {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string wire = "5;ext=1\r\nhello\r\n1\r\n,\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    CAPTURE(step);
    response_parser parser;
    REQUIRE(!parser.parse_head(head));
    CHECK(body_of(parser, wire, step) == "hello, world");
    CHECK(parser.is_done());
    CHECK(parser.keep_alive());
  }
}

TEST_CASE("an empty chunked body may come byte by byte") {
  for (const std::string wire : {"0\r\n\r\n", "00\r\nT: x\r\n\r\n", "0;a\r\n\r\n"}) {
    for (std::size_t step = 1; step <= wire.size(); ++step) {
      CAPTURE(step);
      response_parser parser;
      REQUIRE(!parser.parse_head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
      CHECK(body_of(parser, wire, step).empty());
      CHECK(parser.is_done());
    }
  }
}

TEST_CASE("a zero that is data of a chunk is passed on as it comes") {
  response_parser parser;
  REQUIRE(!parser.parse_head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
  error_code ec;
  CHECK(parser.parse_body("3\r\na", ec) == 4);
  CHECK(parser.parse_body("0", ec) == 1);
  CHECK(parser.pieces() == std::vector<std::string_view>{"0"});
}

TEST_CASE("an answer without length or coding ends with its connection") {
  response_parser parser;
  REQUIRE(!parser.parse_head("HTTP/1.1 200 OK\r\n\r\n"));
  CHECK(body_of(parser, "all of it", 2) == "all of it");
  CHECK(!parser.is_done());
  CHECK(parser.need_eof());
  CHECK(!parser.keep_alive());
}

TEST_CASE("any three-digit status is read as it is") {
  for (const int status : {200, 299, 499, 529, 599, 999}) {
    response_parser parser;
    const auto head = "HTTP/1.1 " + std::to_string(status) + " Odd Words\r\n\r\n";
    REQUIRE(!parser.parse_head(head));
    CHECK(parser.status() == status);
    CHECK(parser.reason() == "Odd Words");
  }
}
