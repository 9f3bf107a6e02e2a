// SPDX-License-Identifier: MIT
#include "fleet/core/harmless.hpp"

#include <doctest/doctest.h>

using namespace fleet;

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
