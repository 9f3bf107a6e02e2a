// SPDX-License-Identifier: MIT
#include "output_text.hpp"

#include <doctest/doctest.h>

using namespace fleet;

TEST_CASE("of an output only the last bytes are kept") {
  std::string text;
  append_tail(text, "abc", 4);
  CHECK(text == "abc");
  append_tail(text, "defg", 4);
  CHECK(text == "defg");
  append_tail(text, "", 4);
  append_tail(text, "123456789", 4);
  CHECK(text == "6789");
}

TEST_CASE("control characters and what is no UTF-8 are made harmless") {
  CHECK(harmless("plain\ttext\nwith lines") == "plain\ttext\nwith lines");
  CHECK(harmless("\x1b[31mred\x07\r\x7f") == "?[31mred???");
  CHECK(harmless("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  // Cut off, overlong, a surrogate, beyond Unicode, a control character of two bytes.
  CHECK(harmless("a\xc3") == "a?");
  CHECK(harmless("\xe2\x82") == "??");
  CHECK(harmless("\xc0\xaf\xe0\x80\xaf") == "?????");
  CHECK(harmless("\xed\xa0\x80") == "???");
  CHECK(harmless("\xf4\x90\x80\x80") == "????");
  CHECK(harmless("\xc2\x9b") == "??");
  CHECK(harmless(std::string("a\0b", 3)) == "a?b");
}

TEST_CASE("the last lines of an output make one bounded line") {
  CHECK(last_lines("").empty());
  CHECK(last_lines("\n \n\t\n").empty());
  CHECK(last_lines("one\r\n\ntwo\n") == "one | two");
  CHECK(last_lines("1\n2\n3\n4\n5\n6\n7") == "3 | 4 | 5 | 6 | 7");
  CHECK(last_lines("\x1b[0mx") == "?[0mx");
  const auto bounded = last_lines(std::string(5000, 'a') + "end");
  CHECK(bounded.size() == 603);
  CHECK(bounded.starts_with("...a"));
  CHECK(bounded.ends_with("aend"));
  std::string euros;
  for (int i = 0; i < 1000; ++i) {
    euros += "\xe2\x82\xac";
  }
  const auto cut = last_lines(euros + "!");
  CHECK(cut == harmless(cut));
  CHECK(cut.find('?') == std::string::npos);
}
