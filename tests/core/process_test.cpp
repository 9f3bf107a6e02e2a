// SPDX-License-Identifier: MIT
#include "fleet/core/process.hpp"

#include <doctest/doctest.h>

#include <csignal>

TEST_CASE("how a process ended reads as an exit status or as a signal's name") {
  CHECK(fleet::to_string(fleet::exit_status{}) == "exit status 0");
  CHECK(fleet::to_string(fleet::exit_status{.code = 3}) == "exit status 3");
  CHECK(fleet::to_string(fleet::exit_status{.signal = SIGKILL}) == "killed by SIGKILL");
  CHECK(fleet::to_string(fleet::exit_status{.signal = SIGSEGV}) == "killed by SIGSEGV");
  CHECK(fleet::to_string(fleet::exit_status{.signal = 40}) == "killed by signal 40");
  CHECK(fleet::exit_status{}.good());
  CHECK_FALSE(fleet::exit_status{.code = 1}.good());
  CHECK_FALSE(fleet::exit_status{.signal = 1}.good());
}

TEST_CASE("an instance id is 1 to 128 plain characters") {
  for (const auto* good : {"a", "0", "node-1.2_x", "9f2c1b7e4a3d5061b8c2e7f04a1d9b63"}) {
    CHECK(fleet::is_instance(good));
  }
  CHECK(fleet::is_instance(std::string(128, 'a')));
  for (const auto* bad : {"", "a b", "a\n", "a'", "$x", "a/b", "a=b", "\xc3\xa9"}) {
    CAPTURE(bad);
    CHECK_FALSE(fleet::is_instance(bad));
  }
  CHECK_FALSE(fleet::is_instance(std::string(129, 'a')));
  CHECK_FALSE(fleet::is_instance(std::string("a\0b", 3)));
}
