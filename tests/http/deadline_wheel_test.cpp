// SPDX-License-Identifier: MIT
#include "deadline_wheel.hpp"

#include <doctest/doctest.h>

using namespace fleet::http;
using namespace std::chrono_literals;

namespace {

void run_for(asio::io_context& io, std::chrono::milliseconds time) {
  io.restart();
  io.run_for(time);
}

}  // namespace

TEST_CASE("a deadline strikes once, not before its time; a disarmed or destroyed one never") {
  asio::io_context io;
  deadline_wheel wheel(io.get_executor());
  int struck = 0;
  deadline one(wheel);
  deadline off(wheel);
  const auto begun = steady_clock::now();
  auto when = begun;
  one.arm(120ms, [&] {
    ++struck;
    when = steady_clock::now();
  });
  off.arm(60ms, [&] { struck += 100; });
  {
    deadline gone(wheel);
    gone.arm(60ms, [&] { struck += 100; });
  }
  off.disarm();
  run_for(io, 500ms);
  CHECK(struck == 1);
  CHECK(when - begun >= 120ms);
}

TEST_CASE("what strikes may arm and destroy deadlines, itself included") {
  asio::io_context io;
  deadline_wheel wheel(io.get_executor());
  int struck = 0;
  auto other = std::make_unique<deadline>(wheel);
  deadline one(wheel);
  other->arm(60ms, [&] { struck += 100; });
  one.arm(60ms, [&] {
    other.reset();
    ++struck;
    one.arm(60ms, [&] { ++struck; });
  });
  run_for(io, 500ms);
  CHECK(struck % 100 == 2);
}
