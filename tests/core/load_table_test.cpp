// SPDX-License-Identifier: MIT
#include "fleet/core/load_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using fleet::affinity;
using fleet::instance_id;
using fleet::load_table;

namespace {

constexpr instance_id u{1};
constexpr instance_id v{2};
constexpr instance_id w{3};

load_table table_of(std::vector<std::pair<instance_id, int>> loads) {
  load_table t;
  for (const auto& [id, count] : loads) {
    t.add(id);
    t.set_routable(id, true);
    for (int i = 0; i < count; ++i)
      t.raise(id);
  }
  return t;
}

}  // namespace

TEST_CASE("least outstanding wins") {
  auto t = table_of({{u, 2}, {v, 1}, {w, 3}});
  CHECK(t.least({}) == v);
  t.raise(v);
  t.raise(v);
  CHECK(t.least({}) == u);
}

TEST_CASE("D20: ties rotate, so 20 sequential turns over two instances land 10 and 10") {
  auto t = table_of({{u, 0}, {v, 0}});
  int on_u = 0;
  for (int i = 0; i < 20; ++i) {
    const auto where = t.least({}).value();
    on_u += where == u ? 1 : 0;
    t.raise(where);
    t.lower(where);
  }
  CHECK(on_u == 10);
}

TEST_CASE("excluded and unroutable instances are skipped") {
  auto t = table_of({{u, 0}, {v, 1}, {w, 2}});
  const std::vector<instance_id> tried{u};
  CHECK(t.least(tried) == v);
  t.set_routable(v, false);
  CHECK(t.least(tried) == w);
  t.set_routable(w, false);
  CHECK_FALSE(t.least(tried).has_value());
  t.set_routable(v, true);
  CHECK(t.least(tried) == v);
}

TEST_CASE("an instance that is not yet routable is never chosen") {
  load_table t;
  t.add(u);
  CHECK(t.known(u));
  CHECK_FALSE(t.routable(u));
  CHECK_FALSE(t.least({}).has_value());
}

TEST_CASE("D26: no count goes below zero and none is booked on another instance") {
  auto t = table_of({{u, 1}, {v, 1}});
  CHECK(t.lower(u));
  CHECK_FALSE(t.lower(u));
  CHECK_FALSE(t.lower(w));
  CHECK(t.outstanding(u) == 0);
  CHECK(t.outstanding(v) == 1);
  CHECK(t.total() == 1);
}

TEST_CASE("an instance that left is unknown, but its turns count until they end") {
  auto t = table_of({{u, 2}, {v, 0}});
  t.remove(u);
  CHECK_FALSE(t.known(u));
  CHECK(t.outstanding(u) == 0);
  CHECK(t.total() == 2);
  t.set_routable(u, true);
  CHECK(t.least({}) == v);
  CHECK(t.lower(u));
  CHECK(t.lower(u));
  CHECK(t.total() == 0);
  CHECK_FALSE(t.lower(u));
}

TEST_CASE("a count kept while unroutable decides again once it is routable") {
  auto t = table_of({{u, 2}, {v, 1}});
  t.set_routable(u, false);
  t.lower(u);
  t.lower(u);
  t.set_routable(u, true);
  CHECK(t.least({}) == u);
}

TEST_CASE("a pinned routable instance is kept unless it lags by more than the slack") {
  struct row {
    int pinned_load;
    int other_load;
    std::uint64_t slack;
    affinity how;
  };
  const std::vector<row> rows{
      {0, 0, 8, affinity::hit},
      {8, 0, 8, affinity::hit},
      {9, 0, 8, affinity::moved_load},
      {10, 2, 8, affinity::hit},
      {11, 2, 8, affinity::moved_load},
      {0, 9, 8, affinity::hit},
      {1, 0, 1, affinity::hit},
      {2, 0, 1, affinity::moved_load},
      {50, 0, std::numeric_limits<std::uint64_t>::max(), affinity::hit},
      {0, 0, 0, affinity::none},
  };
  for (const auto& r : rows) {
    CAPTURE(r.pinned_load);
    CAPTURE(r.other_load);
    CAPTURE(r.slack);
    const auto t = table_of({{u, r.pinned_load}, {v, r.other_load}});
    const auto where = fleet::choose(t, {.session = "s"}, {u}, r.slack);
    REQUIRE(where.has_value());
    CHECK(where->how == r.how);
    if (r.how == affinity::hit)
      CHECK(where->replica == u);
    if (r.how == affinity::moved_load)
      CHECK(where->replica == v);
  }
}

TEST_CASE("why a turn went where it went") {
  auto t = table_of({{u, 3}, {v, 0}});
  CHECK(fleet::choose(t, {}, {}, 8)->how == affinity::none);
  CHECK(fleet::choose(t, {.session = "s"}, {}, 8)->how == affinity::fresh);
  CHECK(fleet::choose(t, {.session = "s"}, {.expired = true}, 8)->how == affinity::expired);
  CHECK(fleet::choose(t, {.session = "s"}, {w}, 8)->how == affinity::moved_gone);
  const auto again = fleet::choose(t, {.session = "s", .tried = {v}}, {v}, 8);
  CHECK(again->replica == u);
  CHECK(again->how == affinity::moved_gone);
  t.set_routable(u, false);
  const auto moved = fleet::choose(t, {.session = "s"}, {u}, 8);
  CHECK(moved->replica == v);
  CHECK(moved->how == affinity::moved_gone);
  CHECK_FALSE(fleet::choose(t, {.session = "s", .tried = {v}}, {u}, 8).has_value());
}
