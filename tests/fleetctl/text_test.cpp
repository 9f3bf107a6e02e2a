// SPDX-License-Identifier: MIT
// What fleetctl prints: harmless, aligned, clipped, painted.
#include "text.hpp"

#include "lines.hpp"

#include <doctest/doctest.h>

using namespace fleet::ctl;
using namespace std::chrono_literals;

TEST_CASE("what could drive a terminal becomes a question mark") {
  CHECK(printable("a\x1b[31mb") == "a?[31mb");
  CHECK(printable(std::string_view("\0\x07\x7f", 3)) == "???");
  CHECK(printable("\xc2\x9b"
                  "31m") == "?31m");
  CHECK(printable("a\xe2\x80\xae"
                  "b") == "a?b");
  CHECK(printable("\xff\xc3") == "??");
  CHECK(printable("\xc0\xaf\xed\xa0\x80") == "?????");
  CHECK(printable("caf\xc3\xa9 \xe6\xbc\xa2") == "caf\xc3\xa9 \xe6\xbc\xa2");
  CHECK(printable("a\tb\nc") == "a b c");
  CHECK(printable_lines("a\tb\r\nc\rd\n") == "a\tb\nc?d\n");
}

TEST_CASE("columns count what a terminal shows") {
  CHECK(columns_of("abc") == 3);
  CHECK(columns_of("\xc3\xa9") == 1);
  CHECK(columns_of("\xe6\xbc\xa2") == 2);
  CHECK(columns_of("e\xcc\x81") == 1);
}

TEST_CASE("what does not fit is cut, never within a character") {
  CHECK(clipped("abcdef", 6) == "abcdef");
  CHECK(clipped("abcdefg", 6) == "abc...");
  CHECK(clipped("abcdefg", 2) == "..");
  CHECK(clipped("abc", 0).empty());
  CHECK(clipped("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5) == "\xe6\xbc\xa2...");
}

TEST_CASE("a span is told in its two biggest units") {
  CHECK(span_text(-3s) == "0s");
  CHECK(span_text(59900ms) == "59s");
  CHECK(span_text(60s) == "1m");
  CHECK(span_text(312s) == "5m12s");
  CHECK(span_text(3h + 20min + 5s) == "3h20m");
  CHECK(span_text(98h) == "4d2h");
}

TEST_CASE("a time of the router is read, anything else is none") {
  CHECK(utc_time("1970-01-02T00:00:01Z") == std::chrono::system_clock::time_point(86401s));
  for (const auto* text : {"", "1970-01-02T00:00:01", "1970-13-02T00:00:01Z",
                           "1970-01-02 00:00:01Z", "1970-02-30T00:00:00Z", "x970-01-02T00:00:01Z"})
    CHECK_FALSE(utc_time(text).has_value());
}

TEST_CASE("a table is as wide as its content, numbers to the right") {
  table t({"NAME", ">N", "WHY"});
  t.add({{"a"}, {"5"}, {""}});
  t.add({{"longer"}, {"10"}, {"because\nof it"}});
  CHECK(rendered(t.layout(), {}) ==
        "NAME     N  WHY\n"
        "a        5\n"
        "longer  10  because of it\n");
}

TEST_CASE("a column that no row fills is left out") {
  table t({"NAME", "EMPTY", "N"});
  t.add({{"a"}, {""}, {"1"}});
  CHECK(rendered(t.layout(), {}) == "NAME  N\na     1\n");
}

TEST_CASE("colours go around the words only, and only where they are wanted") {
  const line l{{"a  "}, {"bad  ", paint::bad}, {"z"}};
  CHECK(rendered(l, {}) == "a  bad  z");
  CHECK(rendered(l, {.colour = true}) == "a  \x1b[31mbad\x1b[0m  z");
  CHECK(rendered(l, {.colour = true, .columns = 5}) == "a  \x1b[31m..\x1b[0m");
  CHECK(rendered(line{{"a  ", paint::good}}, {.colour = true}) == "\x1b[32ma\x1b[0m");
}

TEST_CASE("no line is longer than the terminal") {
  CHECK(rendered(line{{"abcdef"}, {"ghij"}}, {.columns = 8}) == "abcdef..");
  CHECK(rendered(line{{"abcdef"}, {"ghij"}}, {.columns = 6}) == "abcdef");
}
