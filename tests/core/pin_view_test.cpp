// SPDX-License-Identifier: MIT
// What a pin remembers of how it came about.
#include "fleet/core/pin_table.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <malloc.h>
#include <string>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

constexpr instance_id u{1};
constexpr instance_id v{2};
constexpr pin_table::time_point t0{1h};

void whole_turn(pin_table& pins, instance_id where, pin_table::time_point at, pin_note note = {}) {
  pins.pin("s", where, at, note);
  pins.unpin("s", where, true, at);
}

}  // namespace

TEST_CASE("a pin tells its session's age, its turns and how the last one was routed") {
  pin_table pins(10, 600s);
  CHECK(pins.view("s", t0) == pin_view{});
  whole_turn(pins, u, t0);
  pins.pin("s", u, t0 + 5s, {.how = affinity::hit});
  const pin_view seen{.where = u, .age = 7s, .turns = 2, .in_flight = 1, .last = affinity::hit};
  CHECK(pins.view("s", t0 + 7s) == seen);
  pins.unpin("s", u, true, t0 + 8s);
  CHECK(pins.view("s", t0 + 9s).in_flight == 0);
  CHECK(pins.view("s", t0 + 9s).turns == 2);
}

TEST_CASE("a pin tells why it moved last, from where and how long ago, also after later hits") {
  pin_table pins(10, 600s);
  whole_turn(pins, u, t0);
  whole_turn(pins, v, t0 + 10s, {.how = affinity::moved_load, .from = 7});
  whole_turn(pins, v, t0 + 20s, {.how = affinity::hit, .from = 9});
  const auto seen = pins.view("s", t0 + 30s);
  CHECK(seen.where == v);
  CHECK(seen.age == 30s);
  CHECK(seen.last == affinity::hit);
  CHECK(seen.moved == affinity::moved_load);
  CHECK(seen.from == 7);
  CHECK(seen.moved_age == 20s);
  whole_turn(pins, u, t0 + 40s, {.how = affinity::moved_gone, .from = 8});
  CHECK(pins.view("s", t0 + 41s).moved == affinity::moved_gone);
  CHECK(pins.view("s", t0 + 41s).from == 8);
  CHECK(pins.view("s", t0 + 41s).moved_age == 1s);
}

TEST_CASE("a turn that reached no replica is not counted as one of the session's") {
  pin_table pins(10, 600s);
  whole_turn(pins, u, t0);
  pins.pin("s", u, t0, {.how = affinity::hit});
  pins.pin("s", u, t0, {.how = affinity::hit});
  pins.unpin("s", u, false, t0);
  CHECK(pins.view("s", t0).turns == 2);
}

TEST_CASE("a session that comes back after its pin expired begins anew") {
  pin_table pins(10, 600s);
  whole_turn(pins, u, t0, {.how = affinity::moved_gone, .from = 7});
  CHECK(pins.view("s", t0 + 599s).where == u);
  CHECK(pins.view("s", t0 + 600s) == pin_view{});
  whole_turn(pins, v, t0 + 600s);
  const pin_view seen{.where = v, .turns = 1, .last = affinity::fresh};
  CHECK(pins.view("s", t0 + 600s) == seen);
}

TEST_CASE("a session whose pin was released has none to tell of, also while a turn is in flight") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.forget(u, t0);
  CHECK(pins.view("s", t0) == pin_view{});
}

#ifdef __GLIBC__
TEST_CASE("a pin takes fewer than 200 bytes beside its session's id") {
  constexpr std::size_t count = 100'000;
  const auto before = mallinfo2().uordblks;
  pin_table pins(count, 600s);
  std::size_t ids = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto id = std::to_string(i);
    id.insert(0, 32 - id.size(), '0');
    ids += id.size();
    pins.pin(std::move(id), u, t0);
  }
  const auto taken = mallinfo2().uordblks - before;
  if (taken != 0)  // a sanitizer's allocator counts nothing
    CHECK((taken - ids) / count < 200);
}
#endif
