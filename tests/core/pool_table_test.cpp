// SPDX-License-Identifier: MIT
#include "fleet/core/pool_table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

void take(pool_table& pool, std::size_t slot) {
  pool.set(slot, slot_stage::serving, {}, {}, 0s);
}

}  // namespace

TEST_CASE("the first free slot is taken, or the one asked for") {
  pool_table pool({"a", "b", "c"}, 3);
  take(pool, 0);
  CHECK(pool.choose({}).outcome == grow_outcome::accepted);
  CHECK(pool.choose({}).slot == 1);
  CHECK(pool.choose("c").slot == 2);
  CHECK(pool.choose("a").outcome == grow_outcome::slot_not_free);
  CHECK(pool.choose("d").outcome == grow_outcome::unknown_slot);
}

TEST_CASE("a pool without a free slot is full, one at its ceiling says so") {
  pool_table pool({"a", "b"}, 1);
  take(pool, 0);
  CHECK(pool.choose({}).outcome == grow_outcome::at_ceiling);
  CHECK(pool.choose("b").outcome == grow_outcome::at_ceiling);
  CHECK(pool.view(0s).free_slots.empty());
  take(pool, 1);
  CHECK(pool.choose({}).outcome == grow_outcome::pool_full);
  CHECK(pool_table({}, 0).choose({}).outcome == grow_outcome::pool_full);
}

TEST_CASE("an unconfirmed slot is not free, not owned, and holds its place under the ceiling") {
  pool_table pool({"a", "b"}, 1);
  pool.set(0, slot_stage::unconfirmed, "stop-unconfirmed", "why", 2s);
  CHECK(pool.choose({}).outcome == grow_outcome::at_ceiling);
  const auto view = pool.view(5s);
  CHECK(view.owned == 0);
  REQUIRE(view.unconfirmed.size() == 1);
  CHECK(view.unconfirmed[0] == unconfirmed_slot{"a", "stop-unconfirmed", "why", 3s});
}

TEST_CASE("why a launch came to nothing is told until the next launch on its slot") {
  pool_table pool({"a", "b"}, 1);
  pool.set(0, slot_stage::free, {}, "exit status 3", 2s);
  CHECK(pool.view(5s).failed_launches == std::vector<failed_launch>{{"a", "exit status 3", 3s}});
  CHECK(pool.view(5s).free_slots == std::vector<std::string>{"a", "b"});
  take(pool, 1);
  CHECK(pool.view(5s).failed_launches.size() == 1);
  pool.set(0, slot_stage::reserved, {}, {}, 6s);
  CHECK(pool.view(7s).failed_launches.empty());
  pool.set(0, slot_stage::free, {}, {}, 8s);
  CHECK(pool.view(9s).failed_launches.empty());
}

TEST_CASE("the ceiling is never above the pool") {
  CHECK(pool_table({"a"}, 7).view(0s).ceiling == 1);
}

TEST_CASE("a slot that does not exist is ignored") {
  pool_table pool({"a"}, 1);
  pool.set(1, slot_stage::serving, {}, {}, 0s);
  CHECK(pool.view(0s).owned == 0);
}

TEST_CASE("an abandoned slot counts as free, after all others") {
  pool_table pool({"a", "b"}, 1);
  pool.set(0, slot_stage::abandoned, {}, "why", 2s);
  CHECK(pool.choose({}).slot == 1);
  CHECK(pool.choose("a").outcome == grow_outcome::accepted);
  const auto view = pool.view(5s);
  CHECK(view.owned == 0);
  CHECK(view.free_slots == std::vector<std::string>{"b", "a"});
  REQUIRE(view.abandoned.size() == 1);
  CHECK(view.abandoned[0] == abandoned_slot{"a", 0, "why", 3s});
  take(pool, 1);
  CHECK(pool.choose({}).outcome == grow_outcome::at_ceiling);
  CHECK(pool.choose("a").outcome == grow_outcome::at_ceiling);
  CHECK(pool.view(5s).free_slots.empty());
}

TEST_CASE("an abandoned slot is used when no other is free") {
  pool_table pool({"a", "b"}, 2);
  pool.set(0, slot_stage::abandoned, {}, {}, 0s);
  take(pool, 1);
  CHECK(pool.choose({}).outcome == grow_outcome::accepted);
  CHECK(pool.choose({}).slot == 0);
}

TEST_CASE(
    "a slot that waits is promised: owned, below the ceiling, used only for want of another") {
  pool_table pool({"a", "b", "c"}, 2);
  pool.set(0, slot_stage::waiting, {}, {}, 0s);
  CHECK(pool.choose({}).slot == 1);
  CHECK(pool.view(0s).owned == 1);
  CHECK(pool.view(0s).free_slots == std::vector<std::string>{"b", "c"});
  CHECK(pool.busy() == 0);
  take(pool, 1);
  CHECK(pool.busy() == 1);
  CHECK(pool.view(0s).free_slots.empty());
  CHECK(pool.choose("c").outcome == grow_outcome::at_ceiling);
  CHECK(pool.choose({}).outcome == grow_outcome::accepted);
  CHECK(pool.choose({}).slot == 0);
  CHECK(pool.choose("a").outcome == grow_outcome::accepted);
}

TEST_CASE("a slot is used again in its place, whatever it went through") {
  pool_table pool({"a", "b"}, 2);
  for (std::size_t i = 0; i < slot_stages; ++i)
    pool.set(0, static_cast<slot_stage>(i), {}, {}, 0s);
  pool.set(0, slot_stage::free, {}, {}, 0s);
  CHECK(pool.busy() == 0);
  CHECK(pool.view(0s).free_slots == std::vector<std::string>{"a", "b"});
}
