// SPDX-License-Identifier: MIT
#include "fleet/core/pin_table.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <random>
#include <string>

using namespace std::chrono_literals;
using fleet::instance_id;
using fleet::pin_table;

namespace {

constexpr instance_id none{};
constexpr instance_id u{1};
constexpr instance_id v{2};
constexpr pin_table::time_point t0{1h};

void whole_turn(pin_table& pins, const std::string& session, instance_id where,
                pin_table::time_point at) {
  pins.pin(session, where, at);
  pins.unpin(session, where, true, at);
}

}  // namespace

TEST_CASE("a pin ages from the end of its session's last turn") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.unpin("s", u, true, t0 + 100s);
  CHECK(pins.look_up("s", t0 + 699s).where == u);
  CHECK(pins.look_up("s", t0 + 700s).where == none);
  CHECK(pins.size(t0 + 700s) == 0);
}

TEST_CASE("a pin with a turn in flight never expires") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.pin("s", u, t0);
  pins.unpin("s", u, true, t0);
  pins.sweep(t0 + 24h);
  CHECK(pins.look_up("s", t0 + 24h).where == u);
  pins.unpin("s", u, true, t0 + 24h);
  CHECK(pins.look_up("s", t0 + 24h + 599s).where == u);
  CHECK(pins.look_up("s", t0 + 24h + 600s).where == none);
}

TEST_CASE("a turn still in flight where its session was pinned before keeps the new pin alive") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.pin("s", v, t0);
  pins.unpin("s", v, true, t0);
  CHECK(pins.look_up("s", t0 + 1h).where == v);
  pins.unpin("s", u, true, t0 + 1h);
  CHECK(pins.look_up("s", t0 + 1h + 599s).where == v);
  CHECK(pins.look_up("s", t0 + 1h + 600s).where == none);
}

TEST_CASE("least recently used goes first") {
  pin_table pins(2, 600s);
  whole_turn(pins, "a", u, t0);
  whole_turn(pins, "b", u, t0 + 1s);
  whole_turn(pins, "a", u, t0 + 2s);
  whole_turn(pins, "c", u, t0 + 3s);
  CHECK(pins.look_up("a", t0 + 3s).where == u);
  CHECK(pins.look_up("b", t0 + 3s).where == none);
  CHECK(pins.look_up("c", t0 + 3s).where == u);
}

TEST_CASE("a pin with a turn in flight is evicted only when all have one") {
  pin_table pins(2, 600s);
  pins.pin("busy", u, t0);
  whole_turn(pins, "idle", u, t0 + 1s);
  pins.pin("new", u, t0 + 2s);
  CHECK(pins.look_up("busy", t0 + 2s).where == u);
  CHECK(pins.look_up("idle", t0 + 2s).where == none);
  pins.pin("newer", v, t0 + 3s);
  CHECK(pins.look_up("busy", t0 + 3s).where == none);
  CHECK(pins.size(t0 + 3s) == 2);
  pins.unpin("busy", u, true, t0 + 4s);
  CHECK(pins.size(t0 + 4s) == 2);
}

TEST_CASE("expired pins are swept") {
  pin_table pins(10, 600s);
  whole_turn(pins, "a", u, t0);
  whole_turn(pins, "b", u, t0 + 300s);
  pins.sweep(t0 + 600s);
  CHECK(pins.size(t0 + 300s) == 1);
  CHECK(pins.look_up("b", t0 + 300s).where == u);
}

TEST_CASE("a pin that no turn ever reached goes with the turn that made it") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.unpin("s", u, false, t0);
  CHECK(pins.size(t0) == 0);
  whole_turn(pins, "warm", u, t0);
  pins.pin("warm", u, t0);
  pins.unpin("warm", u, false, t0);
  CHECK(pins.look_up("warm", t0).where == u);
}

TEST_CASE("a try that failed on one instance leaves the pin on another alone") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.pin("s", v, t0);
  pins.unpin("s", u, false, t0);
  CHECK(pins.look_up("s", t0).where == v);
}

TEST_CASE("forgetting an instance releases its pins at once and no others") {
  pin_table pins(10, 600s);
  whole_turn(pins, "a", u, t0);
  pins.pin("b", u, t0);
  whole_turn(pins, "c", v, t0);
  pins.forget(u, t0);
  CHECK(pins.size(t0) == 1);
  CHECK(pins.look_up("a", t0).where == none);
  CHECK(pins.look_up("b", t0).where == none);
  CHECK(pins.look_up("c", t0).where == v);
  pins.unpin("b", u, true, t0);
  CHECK(pins.look_up("b", t0).where == none);
}

TEST_CASE("a turn that ends where its pin was forgotten does not age the session's new pin") {
  pin_table pins(10, 600s);
  pins.pin("s", u, t0);
  pins.forget(u, t0);
  pins.pin("s", v, t0);
  pins.unpin("s", u, true, t0);
  CHECK(pins.look_up("s", t0 + 1h).where == v);
}

TEST_CASE("a turn whose pin was evicted does not age the pin that its session got since") {
  pin_table pins(1, 600s);
  pins.pin("s", u, t0);
  pins.pin("other", u, t0);
  CHECK(pins.look_up("s", t0).where == none);
  pins.pin("s", v, t0);
  CHECK(pins.look_up("other", t0).where == none);
  CHECK(pins.size(t0) == 1);
  pins.unpin("s", u, true, t0);
  pins.unpin("other", u, true, t0);
  CHECK(pins.view("s", t0).in_flight == 1);
  CHECK(pins.look_up("s", t0 + 1h).where == v);
  pins.unpin("s", v, true, t0 + 1h);
  CHECK(pins.look_up("s", t0 + 1h + 600s).where == none);
  CHECK(pins.ended().evicted == 2);
}

TEST_CASE("turns without a pin take no room from the pins of others") {
  pin_table pins(1, 600s);
  for (const auto* session : {"a", "b", "c"})
    pins.pin(session, u, t0);
  pins.forget(u, t0);
  whole_turn(pins, "d", v, t0);
  CHECK(pins.look_up("d", t0).where == v);
  for (const auto* session : {"a", "b", "c"})
    pins.unpin(session, u, true, t0);
  CHECK(pins.look_up("d", t0).where == v);
  CHECK(pins.size(t0) == 1);
}

TEST_CASE("what was known of a session goes with its pin, also while a turn of it is in flight") {
  pin_table pins(10, 600s);
  whole_turn(pins, "s", u, t0);
  pins.pin("s", u, t0);
  pins.forget(u, t0);
  pins.pin("s", v, t0 + 10s);
  CHECK(pins.view("s", t0 + 10s).turns == 1);
  CHECK(pins.view("s", t0 + 10s).age == 0s);
}

TEST_CASE("a pin that had expired before its replica went has expired, and was not released") {
  pin_table pins(10, 600s);
  whole_turn(pins, "a", u, t0);
  whole_turn(pins, "b", u, t0 + 1s);
  pins.forget(u, t0 + 600s);
  CHECK(pins.ended().expired == 1);
  CHECK(pins.ended().released == 1);
}

TEST_CASE("a pin that had expired before its room was needed has expired, and was not evicted") {
  pin_table pins(1, 600s);
  whole_turn(pins, "a", u, t0);
  whole_turn(pins, "b", u, t0 + 600s);
  CHECK(pins.ended().expired == 1);
  CHECK(pins.ended().evicted == 0);
  whole_turn(pins, "c", u, t0 + 601s);
  CHECK(pins.ended().evicted == 1);
}

TEST_CASE("an expired session that comes back starts a new pin") {
  pin_table pins(10, 600s);
  whole_turn(pins, "s", u, t0);
  pins.pin("s", u, t0 + 1h);
  pins.unpin("s", u, false, t0 + 1h);
  CHECK(pins.size(t0 + 1h) == 0);
}

TEST_CASE("a table without room keeps nothing") {
  pin_table pins(0, 600s);
  pins.pin("s", u, t0);
  pins.unpin("s", u, true, t0);
  CHECK(pins.size(t0) == 0);
}

TEST_CASE("whatever happens in whatever order, the pins stay within their bound and add up") {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  pin_table pins(8, 50s);
  auto now = t0;
  for (int i = 0; i < 20'000; ++i) {
    const auto session = std::to_string(below(12));
    const instance_id where{1 + below(3)};
    switch (below(6)) {
      case 0:
      case 1:
        pins.pin(session, where, now);
        CHECK(pins.look_up(session, now).where == where);
        break;
      case 2:
      case 3:
        pins.unpin(session, where, below(4) > 0, now);
        break;
      case 4:
        now += std::chrono::seconds(below(9));
        break;
      default:
        if (below(5) == 0)
          pins.forget(where, now);
    }
    std::size_t found = 0;
    for (int s = 0; s < 12; ++s)
      found += pins.look_up(std::to_string(s), now).where == none ? 0 : 1;
    CHECK(pins.size(now) == found);
    CHECK(found <= 8);
  }
}

TEST_CASE("a session whose pin expired is told from a new one, for as long as a pin lives") {
  pin_table pins(10, 600s);
  whole_turn(pins, "s", u, t0);
  CHECK(pins.look_up("s", t0 + 599s) == fleet::pin_state{.where = u});
  CHECK(pins.look_up("s", t0 + 600s) == fleet::pin_state{.expired = true});
  pins.sweep(t0 + 600s);
  CHECK(pins.size(t0 + 600s) == 0);
  pins.sweep(t0 + 1199s);
  CHECK(pins.look_up("s", t0 + 1199s) == fleet::pin_state{.expired = true});
  CHECK(pins.look_up("other", t0 + 1199s) == fleet::pin_state{});
  pins.sweep(t0 + 1200s);
  CHECK(pins.look_up("s", t0 + 1200s) == fleet::pin_state{});
}

TEST_CASE("what is remembered of expired pins takes no room from live ones") {
  pin_table pins(2, 600s);
  whole_turn(pins, "old", u, t0);
  pins.sweep(t0 + 600s);
  whole_turn(pins, "a", u, t0 + 600s);
  whole_turn(pins, "b", u, t0 + 601s);
  CHECK(pins.look_up("a", t0 + 601s).where == u);
  CHECK(pins.look_up("b", t0 + 601s).where == u);
  CHECK(pins.look_up("old", t0 + 601s) == fleet::pin_state{});
  CHECK(pins.ended().evicted == 0);
}

TEST_CASE("a session that comes back after its pin expired is pinned like any other") {
  pin_table pins(10, 600s);
  for (const auto back : {700s, 601s}) {
    CAPTURE(back.count());
    whole_turn(pins, "s", u, t0);
    pins.sweep(t0 + 650s);  // too early to see the second one
    whole_turn(pins, "s", v, t0 + back);
    CHECK(pins.look_up("s", t0 + back).where == v);
    CHECK(pins.size(t0 + back) == 1);
    pins.forget(v, t0);
    CHECK(pins.size(t0 + back) == 0);
  }
}

TEST_CASE("pins that end are counted by what ended them, once each") {
  pin_table pins(2, 600s);
  whole_turn(pins, "a", u, t0);
  whole_turn(pins, "b", u, t0);
  whole_turn(pins, "b", v, t0);  // a move ends none
  whole_turn(pins, "c", v, t0);
  CHECK(pins.ended() == fleet::pin_ends{.evicted = 1});
  pins.pin("b", v, t0 + 1s);
  pins.forget(v, t0);
  CHECK(pins.ended() == fleet::pin_ends{.evicted = 1, .released = 2});
  pins.unpin("b", v, true, t0 + 2s);
  whole_turn(pins, "d", u, t0 + 2s);
  whole_turn(pins, "e", u, t0 + 2s);
  pins.sweep(t0 + 602s);
  pins.sweep(t0 + 603s);
  CHECK(pins.ended() == fleet::pin_ends{.expired = 2, .evicted = 1, .released = 2});
  whole_turn(pins, "d", u, t0 + 603s);   // back after the sweep
  whole_turn(pins, "d", u, t0 + 1203s);  // back before the next one
  CHECK(pins.ended() == fleet::pin_ends{.expired = 3, .evicted = 1, .released = 2});
  pins.pin("f", u, t0 + 1204s);
  pins.unpin("f", u, false, t0 + 1204s);  // never was one
  CHECK(pins.ended().released == 2);
}
