// SPDX-License-Identifier: MIT
#include "output_text.hpp"

#include "fleet/core/harmless.hpp"

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
