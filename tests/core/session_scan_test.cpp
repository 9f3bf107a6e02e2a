// SPDX-License-Identifier: MIT
#include "fleet/core/session_scan.hpp"

#include "fleet/core/session_id.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>

using result = std::optional<std::string>;

namespace {

result scan(std::string_view body, std::size_t piece = std::string_view::npos) {
  fleet::session_scan scanner;
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
    scanner.feed(body.substr(0, piece));
  }
  return scanner.result();
}

const result absent;
const result refused = "";

// The whole body at once, then cut into pieces of every small size: the answer is the same.
void check(std::string_view body, const result& wanted) {
  CAPTURE(body);
  CHECK(scan(body) == wanted);
  for (const std::size_t piece : {1, 2, 3, 5, 7, 16}) {
    CAPTURE(piece);
    CHECK(scan(body, piece) == wanted);
  }
}

struct sample {
  std::string_view body;
  result wanted;
};

void check_all(std::initializer_list<sample> samples) {
  for (const auto& s : samples) {
    check(s.body, s.wanted);
  }
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (; times > 0; --times) {
    all += text;
  }
  return all;
}

}  // namespace

TEST_CASE("the top-level string session_id is found first, last, between, and among blanks") {
  check_all(
      {{R"({"session_id":"a"})", "a"},
       {R"({"session_id":"a","model":"m","n":1})", "a"},
       {R"({"model":"m","n":-1.5e3,"ok":true,"none":null,"session_id":"a-1.b_c:D"})", "a-1.b_c:D"},
       {R"({"m":[1,{"x":"y"}],"session_id":"a","t":{"u":[]}})", "a"},
       {" \t\r\n{ \"session_id\"\n:\t\"a\" , \"b\" : 1 } \r\n", "a"}});
}

TEST_CASE("only the top level counts") {
  check_all({{R"({"metadata":{"session_id":"a"}})", absent},
             {R"({"list":[{"session_id":"a"}],"session_id":"b"})", "b"},
             {R"({"session_id":"b","metadata":{"session_id":"a"}})", "b"},
             {R"({"x":"session_id","y":"\"session_id\":\"a\""})", absent},
             {R"({"x":["session_id","a"]})", absent}});
}

TEST_CASE("the last of repeated keys wins, also when it is no string or refused") {
  check_all({{R"({"session_id":"a","session_id":"b"})", "b"},
             {R"({"session_id":"a","session_id":5})", absent},
             {R"({"session_id":"a","session_id":["b"]})", absent},
             {R"({"session_id":"a","session_id":""})", absent},
             {R"({"session_id":"a","session_id":"b c"})", refused},
             {R"({"session_id":7,"session_id":"b"})", "b"},
             {R"({"session_id":"b c","session_id":"b"})", "b"}});
}

TEST_CASE("a session_id that is no string, empty or blank counts as absent") {
  check_all({{R"({"session_id":null})", absent},
             {R"({"session_id":5})", absent},
             {R"({"session_id":true})", absent},
             {R"({"session_id":[]})", absent},
             {R"({"session_id":{}})", absent},
             {R"({"session_id":{"session_id":"a"}})", absent},
             {R"({"session_id":""})", absent},
             {R"({"session_id":"  "})", absent},
             {R"({"session_id":" \t\n\r\u0020"})", absent},
             {R"({})", absent},
             {R"({"model":"m"})", absent}});
}

TEST_CASE("a session_id of other characters is present and refused") {
  check_all({{R"({"session_id":"a b"})", refused},
             {R"({"session_id":" a"})", refused},
             {R"({"session_id":"a "})", refused},
             {R"({"session_id":"a/b"})", refused},
             {R"({"session_id":"a\"b"})", refused},
             {R"({"session_id":"a\\"})", refused},
             {R"({"session_id":"\u0000"})", refused},
             {R"({"session_id":"\u00e9"})", refused},
             {R"({"session_id":"\ud83d\ude00"})", refused},
             {R"({"session_id":"\ud83d"})", refused},
             {R"({"session_id":"\u0161"})", refused},
             {"{\"session_id\":\"caf\xC3\xA9\"}", refused},
             {R"({"session_id":"a\r\nX-Evil: 1"})", refused}});
}

TEST_CASE("escapes are decoded in the key and in the id") {
  check_all({{R"({"\u0073ession_id":"a"})", "a"},
             {R"({"\u0073\u0065\u0073\u0073\u0069\u006f\u006E\u005F\u0069\u0064":"a"})", "a"},
             {R"({"session_id":"\u0061\u002Db\u002d"})", "a-b-"},
             {R"({"session\u005fid":"a"})", "a"},
             {R"({"session_id\u0000":"a"})", absent},
             {R"({"session_id\n":"a"})", absent},
             {R"({"\u0173ession_id":"a"})", absent},
             {R"({"\ud83d\ude00session_id":"a"})", absent}});
}

TEST_CASE("other keys are not taken for session_id") {
  check_all({{R"({"session_i":"a"})", absent},
             {R"({"session_id2":"a"})", absent},
             {R"({"Session_Id":"a"})", absent},
             {R"({"":"a"})", absent},
             {R"({"x\"session_id":"a"})", absent},
             {R"({"session_id\\":"a","x":"b"})", absent}});
}

TEST_CASE("quotes behind backslashes end a string only after an even number of them") {
  for (std::size_t n = 0; n < 40; ++n) {
    const std::string pairs = repeat("\\\\", n);
    check("{\"x\":\"" + pairs + "\",\"session_id\":\"a\"}", "a");
    check("{\"x\":\"" + pairs + "\\\"\",\"session_id\":\"a\"}", "a");
    check("{\"x\":[\"" + pairs + "\\\",\"],\"session_id\":\"a\"}", "a");
    check("{\"" + pairs + "\\\"\":\"" + pairs + "\",\"session_id\":\"a\"}", "a");
  }
}

TEST_CASE("an id of 128 characters is found and a longer one refused, decoded length counts") {
  check("{\"session_id\":\"" + std::string(128, 'x') + "\"}", std::string(128, 'x'));
  check("{\"session_id\":\"" + std::string(129, 'x') + "\"}", refused);
  check("{\"session_id\":\"" + repeat("\\u0078", 128) + "\"}", std::string(128, 'x'));
  check("{\"session_id\":\"" + repeat("\\u0078", 129) + "\"}", refused);
  CHECK(scan("{\"session_id\":\"" + std::string(70'000, 'x') + "\"}") == refused);
  CHECK(scan("{\"session_id\":\"" + std::string(5'000'000, 'x') + "\",\"a\":1}", 4096) == refused);
  CHECK(scan("{\"" + std::string(5'000'000, 's') + "\":1,\"session_id\":\"a\"}", 4096) == "a");
}

TEST_CASE("tool schemas nested at any depth do not hide the id") {
  for (const std::size_t depth : {1, 31, 32, 33, 40, 200, 100'000}) {
    CAPTURE(depth);
    const std::string lists = repeat("[", depth) + repeat("]", depth);
    const std::string objects = repeat("{\"session_id\":", depth) + "\"no\"" + repeat("}", depth);
    for (const auto& tools : {lists, objects}) {
      CHECK(scan("{\"session_id\":\"a\",\"tools\":" + tools + "}") == "a");
      CHECK(scan("{\"tools\":" + tools + ",\"session_id\":\"a\"}", 1000) == "a");
    }
    CHECK(scan("{\"session_id\":\"a\",\"tools\":" + repeat("[", depth)) == absent);
    CHECK(scan(repeat("[", depth)) == absent);
  }
}

TEST_CASE("a body that is no JSON object has no id") {
  check_all({{"", absent},
             {"   ", absent},
             {"null", absent},
             {"\"session_id\"", absent},
             {R"([{"session_id":"a"}])", absent},
             {R"(session_id=a)", absent},
             {R"({"session_id":"a")", absent},
             {R"({"session_id":"a)", absent},
             {R"({"session_id":"a"}})", absent},
             {R"({"session_id":"a"}{"session_id":"b"})", absent},
             {R"({"session_id":"a",})", absent},
             {R"({,"session_id":"a"})", absent},
             {R"({"session_id" "a"})", absent},
             {R"({"session_id"="a"})", absent},
             {R"({"session_id":"a" "b":1})", absent},
             {R"({"session_id":"a","b":})", absent},
             {R"({"session_id":"a","b":1:2})", absent},
             {R"({"session_id":"a","b":1"c"})", absent},
             {R"({"session_id":"a","b"})", absent},
             {R"({"session_id":"a"])", absent},
             {R"({'session_id':"a"})", absent},
             {R"({"session_id":"\x61"})", absent},
             {R"({"session_id":"\u00g1"})", absent},
             {R"({"session_id":"\u00"})", absent}});
}

TEST_CASE("a UTF-8 byte order mark before the object is passed over, and only there") {
  check_all({{"\xEF\xBB\xBF{\"session_id\":\"a\"}", "a"},
             {"\xEF\xBB{\"session_id\":\"a\"}", absent},
             {"\xEF\xBB\xBF\xEF\xBB\xBF{\"session_id\":\"a\"}", absent},
             {"{\xEF\xBB\xBF\"session_id\":\"a\"}", absent}});
}

TEST_CASE("a compressed or binary body is given up at its first byte") {
  for (const std::string_view body : {"\x1f\x8b\x08{\"session_id\":\"a\"}", "\x28\xb5\x2f\xfd",
                                      "--boundary\r\nContent-Disposition: form-data"}) {
    fleet::session_scan scanner;
    scanner.feed(body.substr(0, 1));
    CHECK(scanner.over());
    scanner.feed(body.substr(1));
    CHECK(scanner.result() == absent);
  }
  fleet::session_scan scanner;
  scanner.feed(" {");
  CHECK_FALSE(scanner.over());
}

TEST_CASE("arbitrary bytes never crash the scanner, and what it accepts is a valid id") {
  std::uint64_t seed = 1;
  const auto next = [&seed] {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
  };
  const std::string_view alphabet[] = {"{",     "}",   "[",          "]",
                                       "\"",    "\\",  ",",          ":",
                                       "u0061", "\\u", "session_id", "\"session_id\":",
                                       "\"a\"", " ",   "1",          "\xFF"};
  for (int round = 0; round < 20'000; ++round) {
    std::string body = "{";
    for (auto n = next() % 24; n > 0; --n) {
      body += alphabet[next() % std::size(alphabet)];
    }
    const auto whole = scan(body);
    CHECK(whole == scan(body, 1 + next() % 8));
    CHECK((!whole || whole->empty() || fleet::valid_session_id(*whole)));
  }
}
