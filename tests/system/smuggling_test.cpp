// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

struct refused {
  std::string what;
  std::string bytes;
  int status = 400;
  const char* code = "bad_request";
};

// What a smuggler would like a replica to see as a request of its own.
const std::string hidden = "POST /v1/hidden HTTP/1.1\r\nHost: r\r\nContent-Length: 0\r\n\r\n";
const std::string line = "POST /v1/x HTTP/1.1\r\n";
const std::string open = line + "Host: r\r\n";

// Each is answered with its status, the connection is closed, and no byte of it reaches a replica.
void refuse_all(const std::vector<refused>& cases) {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& each : cases) {
    CAPTURE(each.what);
    raw_client client{r.port()};
    client.send(each.bytes);
    const auto answer = client.read_response();
    CHECK(answer.status() == each.status);
    if (answer.status() == each.status)
      CHECK(router_error(answer.body).code == each.code);
    CHECK(client.wait_end() != read_state::timeout);
    CHECK(client.unread().empty());
  }
  CHECK(u.request_count() == 0);
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(u.request_count() == 1);
  CHECK(u.strays().empty());
}

}  // namespace

TEST_CASE("ambiguous framing is a 400 and a close and reaches no replica") {
  const std::string te = "Transfer-Encoding: chunked\r\n";
  const std::string empty = "\r\n0\r\n\r\n";
  refuse_all({
      {"length and chunks", open + "Content-Length: 5\r\n" + te + empty + hidden},
      {"chunks and length", open + te + "Content-Length: 5\r\n" + empty + hidden},
      {"two lengths that differ",
       open + "Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}" + hidden},
      {"two lengths in one line", open + "Content-Length: 2, 5\r\n\r\n{}" + hidden},
      {"gzip coding", open + "Transfer-Encoding: gzip\r\n" + empty},
      {"unknown coding", open + "Transfer-Encoding: xchunked\r\n" + empty},
      {"identity coding", open + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}"},
      {"gzip then chunked", open + "Transfer-Encoding: gzip, chunked\r\n" + empty},
      {"chunked then gzip", open + "Transfer-Encoding: chunked, gzip\r\n" + empty},
      {"chunked twice", open + "Transfer-Encoding: chunked, chunked\r\n" + empty},
      {"chunked in two lines", open + te + te + empty},
      {"chunked and gzip in two lines", open + te + "Transfer-Encoding: gzip\r\n" + empty},
      {"coding with a vertical tab", open +
                                         "Transfer-Encoding: \x0b"
                                         "chunked\r\n" +
                                         empty},
      {"quoted coding", open + "Transfer-Encoding: \"chunked\"\r\n" + empty},
      {"empty coding", open + "Transfer-Encoding:\r\n" + empty},
  });
}

TEST_CASE("a length that is no number is a 400 and a close and reaches no replica") {
  std::vector<refused> cases;
  for (const auto* length : {"+2", "-2", "0x2", "2a", "2 2", "2.0", "\"2\"", "", "２"})
    cases.push_back({length, std::string{open}.append("Content-Length: ").append(length) +
                                 "\r\n\r\n{}" + hidden});
  refuse_all(cases);
}

TEST_CASE("a broken chunk is a 400 and a close and reaches no replica") {
  std::vector<refused> cases;
  for (const auto* body :
       {"0x2\r\n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n",
        "zz\r\n{}\r\n0\r\n\r\n", "\r\n{}\r\n0\r\n\r\n", "2 2\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}XX0\r\n\r\n", "2\r\n{}\r0\r\n\r\n", "2\n{}\n0\n\n", ";a=b\r\n{}\r\n0\r\n\r\n"})
    cases.push_back(
        {body, open + std::string{"Transfer-Encoding: chunked\r\n\r\n"}.append(body) + hidden});
  refuse_all(cases);
}

TEST_CASE("a broken head is a 400 and a close and reaches no replica") {
  using namespace std::string_literals;
  const std::string rest = "Content-Length: 2\r\n\r\n{}";
  refuse_all({
      {"bare LF after the request line", "POST /v1/x HTTP/1.1\nHost: r\r\n" + rest},
      {"bare LF after a field", line + "Host: r\n" + rest},
      {"bare LF all over", "POST /v1/x HTTP/1.1\nHost: r\nContent-Length: 2\n\n{}"},
      {"bare CR in a value", open + "X-A: a\rb\r\n" + rest},
      {"NUL in a value", open + "X-A: a\0b\r\n"s + rest},
      {"blank before the colon", open + "Content-Length : 2\r\n\r\n{}"},
      {"tab before the colon", open + "X-A\t: 2\r\n" + rest},
      {"folded value", open + "X-A: a\r\n b\r\n" + rest},
      {"blank before the first field", line + " X-A: a\r\nHost: r\r\n" + rest},
      {"no colon", open + "X-A\r\n" + rest},
      {"empty name", open + ": a\r\n" + rest},
      {"bracket in a name", open + "X(A): a\r\n" + rest},
      {"no Host", line + rest},
      {"two Hosts", open + "Host: s\r\n" + rest},
      {"two equal Hosts", open + "Host: r\r\n" + rest},
      {"no target", "POST HTTP/1.1\r\nHost: r\r\n" + rest},
      {"two blanks", "POST  /v1/x HTTP/1.1\r\nHost: r\r\n" + rest},
      {"blank in the target", "POST /v1/x y HTTP/1.1\r\nHost: r\r\n" + rest},
      {"NUL in the target", "POST /v1/x\0y HTTP/1.1\r\nHost: r\r\n"s + rest},
      {"control byte in the target", "POST /v1/x\x01y HTTP/1.1\r\nHost: r\r\n" + rest},
      {"bracket in the method", "PO(ST /v1/x HTTP/1.1\r\nHost: r\r\n" + rest},
      {"blank before the method", " POST /v1/x HTTP/1.1\r\nHost: r\r\n" + rest},
      {"no version", "POST /v1/x\r\nHost: r\r\n" + rest},
      {"lower case version", "POST /v1/x http/1.1\r\nHost: r\r\n" + rest},
      {"broken version", "POST /v1/x HTTP/1.1x\r\nHost: r\r\n" + rest},
      {"garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 garbage\r\n\r\n"s},
      {"one word", "hello\r\n\r\n"},
  });
}

TEST_CASE("another major version is a 505 and a close and reaches no replica") {
  const std::string rest = "\r\nHost: r\r\nContent-Length: 2\r\n\r\n{}";
  refuse_all({
      {"2.0", "POST /v1/x HTTP/2.0" + rest, 505, "unsupported_version"},
      {"3.0", "POST /v1/x HTTP/3.0" + rest, 505, "unsupported_version"},
      {"0.9", "POST /v1/x HTTP/0.9" + rest, 505, "unsupported_version"},
      {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "unsupported_version"},
  });
}

TEST_CASE("an HTTP/1.0 request with a coding leaves nothing behind it on its connection") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(
      "POST /v1/x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\n" +
      hidden);
  client.wait_end();
  for (const auto& seen : u.requests())
    CHECK(seen.target() != "/v1/hidden");
}

TEST_CASE("empty lines before a request are skipped") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send("\r\n" + chat());
  CHECK(client.read_response().status() == 200);
  client.send("\r\n\r\n" + chat());
  CHECK(client.read_response().status() == 200);
}

TEST_CASE("a replica's broken answer is a 502 and its connection is not used again") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--threads", "1"}};
  for (const std::string bytes :
       {"garbage\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokay",
        "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"}) {
    CAPTURE(bytes);
    u.on_request(answer_with(bytes));
    const auto answer = exchange_once(r.port(), chat("{}", session("s")));
    CHECK(answer.status() == 502);
    if (answer.status() == 502)
      CHECK(router_error(answer.body).code == "bad_replica_response");
    CHECK(answer.get("X-Session-Id") == "s");
    CHECK(eventually([&] { return u.open_connections() == 0; }));
  }
  CHECK(becomes_idle(r.port()));
}
