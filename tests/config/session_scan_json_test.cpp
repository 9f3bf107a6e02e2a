// SPDX-License-Identifier: MIT
// The scanner against a whole parser: whatever document is built, both see the same id.
#include "support/session_by_parser.hpp"

#include "fleet/core/session_scan.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <random>

namespace {

namespace json = boost::json;

class document_maker {
 public:
  explicit document_maker(unsigned seed) : random_(seed) {}

  std::string object(int depth) {
    std::string out = "{" + blanks();
    const int members = pick(6);
    for (int i = 0; i < members; ++i) {
      out += (i == 0 ? "" : "," + blanks()) + key() + blanks() + ":" + blanks() + value(depth) +
             blanks();
    }
    return out + "}";
  }

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  std::string blanks() {
    static const char* const some[] = {"", "", "", " ", "\n", "\t \r\n"};
    return some[pick(6)];
  }

  std::string key() {
    static const char* const keys[] = {
        "\"session_id\"", "\"\\u0073ession_id\"", "\"session_id \"",      "\"session_i\\u0064\"",
        "\"session_i\"",  "\"\\ud83d\\ude00\"",   "\"session_id\\u0000\""};
    return pick(3) == 0 ? text() : keys[pick(7)];
  }

  std::string text() {
    static const char* const parts[] = {"a",
                                        "Z9",
                                        ".",
                                        "_",
                                        ":",
                                        "-",
                                        " ",
                                        "\\\"",
                                        "\\\\",
                                        "\\/",
                                        "\\b",
                                        "\\n",
                                        "\\t",
                                        "\\u0061",
                                        "\\u0020",
                                        "\\u00E9",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        "é",
                                        "\\ud83d\\udE00",
                                        "session_id",
                                        "0123456789abcdef0123456789abcdef"};
    std::string out = "\"";
    for (int n = pick(3) == 0 ? pick(9) : pick(2) + 1; n > 0; --n) {
      out += parts[pick(pick(2) == 0 ? 6 : 25)];
    }
    return out + "\"";
  }

  std::string value(int depth) {
    switch (pick(depth == 0 ? 3 : 5)) {
      case 0: {
        static const char* const scalars[] = {"null", "true", "false", "-1.5e-3", "0", "12"};
        return scalars[pick(6)];
      }
      case 3:
        return object(depth - 1);
      case 4: {
        std::string out = "[" + blanks();
        for (int i = 0, n = pick(4); i < n; ++i) {
          out += (i == 0 ? "" : ",") + blanks() + value(depth - 1);
        }
        return out + blanks() + "]";
      }
      default:
        return text();
    }
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("the scanner finds the id that a JSON parser finds, however the body is cut") {
  document_maker make(20240101);
  int found = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string body = make.object(4);
    CAPTURE(body);
    const auto wanted = fleet::session_by_parser(json::parse(body));
    fleet::session_scan whole;
    whole.feed(body);
    REQUIRE(whole.result() == wanted);
    fleet::session_scan pieces;
    for (std::size_t at = 0, length = 0; at < body.size(); at += length) {
      length = static_cast<std::size_t>(1 + make.pick(40));
      pieces.feed(std::string_view(body).substr(at, length));
    }
    REQUIRE(pieces.result() == wanted);
    found += wanted && !wanted->empty() ? 1 : 0;
  }
  CHECK(found > 1000);
}

TEST_CASE("a document cut short has no id") {
  document_maker make(7);
  for (int round = 0; round < 500; ++round) {
    const std::string body = make.object(3);
    for (std::size_t length = 0; length < body.size(); ++length) {
      fleet::session_scan scanner;
      scanner.feed(std::string_view(body).substr(0, length));
      REQUIRE(scanner.result() == std::nullopt);
    }
  }
}
