// SPDX-License-Identifier: MIT
// Spec: "When a replica dies"; contract section 7, "Replacement".
#include "fleet/core/loss_policy.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

using wish = loss_policy::wish;
using stage = loss_stage;

// Ready at 0 s.
loss_policy up() {
  loss_policy slot;
  slot.launched();
  slot.ready(0s);
  return slot;
}

// Dead, stopped and confirmed as soon as can be; the time of that.
std::chrono::nanoseconds lose(loss_policy& slot, std::chrono::nanoseconds at) {
  CHECK(slot.unroutable(at));
  CHECK(slot.tick(at + 30s) == wish::retire);
  CHECK(slot.ended(true, at + 30s));
  return at + 30s;
}

loss_policy in(stage s) {
  loss_policy slot;
  if (s == stage::calm)
    return slot;
  slot = up();
  if (s == stage::serving)
    return slot;
  if (s == stage::leaving) {
    slot.stop();
    return slot;
  }
  slot.unroutable(0s);
  if (s == stage::missing)
    return slot;
  slot.tick(30s);
  if (s == stage::retiring)
    return slot;
  slot.ended(true, 30s);
  if (s == stage::waiting)
    return slot;
  slot.tick(40s);
  if (s == stage::relaunching)
    return slot;
  slot.ended(true, 40s);
  slot.tick(60s);
  slot.ended(true, 60s);
  return slot;
}

constexpr int stages = 8;
constexpr const char* letters = "csmtwlax";  // of the stages, in their order

char letter(stage s) {
  return letters[static_cast<int>(s)];
}

}  // namespace

TEST_CASE("every event in every stage leads where the table says, or is ignored") {
  // Stage before the event -> stage after it, '.' for ignored. At 1 h all that is due is due.
  const std::map<std::string, std::string> table{{"launched", "....c.c."},   {"ready", "s.s..s.."},
                                                 {"unroutable", ".m......"}, {"gone", ".ccw.w.c"},
                                                 {"held", ".ccc.c.c"},       {"stop", "xxxxcx.."},
                                                 {"tick", "..t.l..."}};
  const std::map<std::string, std::function<bool(loss_policy&)>> events{
      {"launched", [](loss_policy& x) { return x.launched(); }},
      {"ready", [](loss_policy& x) { return x.ready(1h); }},
      {"unroutable", [](loss_policy& x) { return x.unroutable(1h); }},
      {"gone", [](loss_policy& x) { return x.ended(true, 1h); }},
      {"held", [](loss_policy& x) { return x.ended(false, 1h); }},
      {"stop", [](loss_policy& x) { return x.stop(); }},
      {"tick", [](loss_policy& x) { return x.tick(1h) != wish::nothing; }}};
  REQUIRE(events.size() == table.size());
  for (const auto& [name, event] : events) {
    CAPTURE(name);
    for (int i = 0; i < stages; ++i) {
      const auto from = static_cast<stage>(i);
      CAPTURE(letter(from));
      auto slot = in(from);
      REQUIRE(slot.stage() == from);
      const auto before = slot.losses();
      const char expected = table.at(name).at(static_cast<std::size_t>(i));
      CHECK(event(slot) == (expected != '.'));
      CHECK(letter(slot.stage()) == (expected == '.' ? letter(from) : expected));
      if (expected == '.')
        CHECK(slot.losses() == before);
    }
  }
}

TEST_CASE("unroutable for replace-after means dead, and not a moment less") {
  auto slot = up();
  CHECK_FALSE(slot.due());
  CHECK(slot.unroutable(60s));
  CHECK(slot.due() == 90s);
  CHECK_FALSE(slot.unroutable(70s));
  CHECK(slot.due() == 90s);
  CHECK(slot.tick(90s - 1ns) == wish::nothing);
  CHECK(slot.tick(90s) == wish::retire);
  CHECK(slot.tick(90s) == wish::nothing);
}

TEST_CASE("a replica that recovers before replace-after is left alone") {
  auto slot = up();
  slot.unroutable(60s);
  CHECK(slot.ready(89s));
  CHECK_FALSE(slot.due());
  CHECK(slot.tick(90s) == wish::nothing);
  slot.unroutable(100s);
  CHECK(slot.due() == 130s);
  CHECK(slot.losses() == 0);
}

TEST_CASE("loss n waits 10 * 2^(n-1) s for the relaunch, and the third in a row abandons") {
  CHECK(wait_after(1) == 10s);
  CHECK(wait_after(2) == 20s);
  CHECK(wait_after(3) == 40s);
  auto slot = up();
  auto now = 0ns;
  for (std::uint64_t n = 1; n < 3; ++n) {
    now = lose(slot, now);
    CHECK(slot.stage() == stage::waiting);
    CHECK(slot.losses() == n);
    CHECK(slot.due() == now + wait_after(n));
    CHECK(slot.tick(now + wait_after(n) - 1ns) == wish::nothing);
    now += wait_after(n);
    CHECK(slot.tick(now) == wish::launch);
    CHECK(slot.stage() == stage::relaunching);
    CHECK_FALSE(slot.due());
    CHECK(slot.ready(now));
  }
  lose(slot, now);
  CHECK(slot.stage() == stage::abandoned);
  CHECK(slot.losses() == 3);
  CHECK_FALSE(slot.due());
  CHECK(slot.tick(now + 24h) == wish::nothing);
}

TEST_CASE("a replacement that fails to launch or never gets ready is a loss too") {
  auto slot = up();
  auto now = lose(slot, 0s) + 10s;
  CHECK(slot.tick(now) == wish::launch);
  CHECK(slot.ended(true, now));
  CHECK(slot.losses() == 2);
  CHECK(slot.due() == now + 20s);
  now += 20s;
  CHECK(slot.tick(now) == wish::launch);
  CHECK(slot.ended(true, now + 600s));
  CHECK(slot.stage() == stage::abandoned);
}

TEST_CASE("a first launch that fails is not replaced") {
  loss_policy slot;
  slot.launched();
  slot.ended(true, 5s);
  CHECK(slot.stage() == stage::calm);
  CHECK(slot.losses() == 0);
  CHECK_FALSE(slot.due());
}

TEST_CASE("stable-after of readiness without a gap clears the count") {
  auto slot = up();
  auto now = lose(slot, 0s) + 10s;
  slot.tick(now);
  slot.ready(now);
  SUBCASE("just short of it") {
    lose(slot, now + 300s - 1ns);
    CHECK(slot.losses() == 2);
  }
  SUBCASE("exactly") {
    lose(slot, now + 300s);
    CHECK(slot.losses() == 1);
  }
  SUBCASE("a blip begins it anew") {
    slot.unroutable(now + 200s);
    slot.ready(now + 201s);
    lose(slot, now + 400s);
    CHECK(slot.losses() == 2);
  }
  SUBCASE("a blip after it changes nothing") {
    slot.unroutable(now + 300s);
    slot.ready(now + 301s);
    lose(slot, now + 302s);
    CHECK(slot.losses() == 1);
  }
}

TEST_CASE("an unconfirmed stop is never followed by a launch and is no wait") {
  for (const auto from : {stage::retiring, stage::relaunching}) {
    auto slot = in(from);
    CHECK(slot.ended(false, 1h));
    CHECK(slot.stage() == stage::calm);
    CHECK(slot.losses() == 0);
    CHECK_FALSE(slot.due());
  }
}

TEST_CASE("an operator's launch ends a wait, forgets the losses and is a first launch") {
  for (const auto from : {stage::waiting, stage::abandoned}) {
    auto slot = in(from);
    CHECK(slot.launched());
    CHECK_FALSE(slot.due());
    CHECK(slot.losses() == 0);
    auto failed = slot;
    failed.ended(true, 1h);
    CHECK(failed.stage() == stage::calm);
    slot.ready(1h);
    lose(slot, 2h);
    CHECK(slot.losses() == 1);
  }
}

TEST_CASE("whoever stops a slot for good gets no replacement, whatever it was about to do") {
  for (const auto from :
       {stage::calm, stage::serving, stage::missing, stage::retiring, stage::relaunching}) {
    auto slot = in(from);
    CHECK(slot.stop());
    CHECK_FALSE(slot.ready(1h));
    CHECK_FALSE(slot.unroutable(1h));
    CHECK(slot.tick(2h) == wish::nothing);
    CHECK(slot.ended(true, 3h));
    CHECK(slot.stage() == stage::calm);
    CHECK(slot.losses() == 0);
  }
  auto waiting = in(stage::waiting);
  CHECK(waiting.stop());
  CHECK(waiting.stage() == stage::calm);
  CHECK(waiting.tick(1h) == wish::nothing);
}

TEST_CASE("a replacement is counted from the retirement of the dead until it is ready") {
  auto slot = up();
  CHECK(slot.attempt() == 0);
  slot.unroutable(0s);
  CHECK(slot.attempt() == 0);
  slot.tick(30s);
  CHECK(slot.attempt() == 1);
  slot.ended(true, 30s);
  CHECK(slot.attempt() == 1);
  slot.tick(40s);
  CHECK(slot.attempt() == 1);
  slot.ready(40s);
  CHECK(slot.attempt() == 0);
  slot.unroutable(40s);
  slot.tick(70s);
  CHECK(slot.attempt() == 2);
  slot.ended(true, 70s);
  slot.tick(90s);
  slot.ready(90s);
  slot.unroutable(90s);
  slot.tick(120s);
  CHECK(slot.attempt() == 0);  // the third loss: none follows
}

TEST_CASE("an adopted replica is replaced like any other") {
  loss_policy slot;
  CHECK(slot.ready(0s));
  lose(slot, 1s);
  CHECK(slot.stage() == stage::waiting);
}
