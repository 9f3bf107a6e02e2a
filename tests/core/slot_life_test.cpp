// SPDX-License-Identifier: MIT
#include "fleet/core/slot_life.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace fleet;

namespace {

constexpr int stages = static_cast<int>(slot_stages);

slot_stage stage(int i) {
  return static_cast<slot_stage>(i);
}

// All legal moves, by name.
const std::set<std::pair<std::string, std::string>> legal{
    {"free", "reserved"},     {"reserved", "free"},          {"reserved", "launching"},
    {"launching", "free"},    {"launching", "loading"},      {"launching", "stopping"},
    {"loading", "serving"},   {"loading", "draining"},       {"serving", "draining"},
    {"draining", "stopping"}, {"stopping", "confirming"},    {"stopping", "unconfirmed"},
    {"reserved", "loading"},  {"reserved", "unconfirmed"},   {"unconfirmed", "loading"},
    {"confirming", "free"},   {"confirming", "unconfirmed"}, {"unconfirmed", "free"},
    {"free", "waiting"},      {"free", "abandoned"},         {"waiting", "reserved"},
    {"waiting", "free"},      {"abandoned", "reserved"}};

}  // namespace

TEST_CASE("a slot makes every legal move and refuses every other") {
  int made = 0;
  for (int from = 0; from < stages; ++from) {
    for (int to = 0; to < stages; ++to) {
      CAPTURE(to_string(stage(from)));
      CAPTURE(to_string(stage(to)));
      const bool expected = legal.count({to_string(stage(from)), to_string(stage(to))}) == 1;
      slot_life life(stage(from));
      CHECK(life.move(stage(to)) == expected);
      CHECK(life.now() == stage(expected ? to : from));
      made += expected ? 1 : 0;
    }
  }
  CHECK(made == static_cast<int>(legal.size()));
}

TEST_CASE("nothing that ran becomes free again but by a confirmed stop or an operator's word") {
  std::set<std::string> before_free;
  for (int from = 0; from < stages; ++from) {
    if (may_move(stage(from), slot_stage::free))
      before_free.insert(to_string(stage(from)));
  }
  // What waits is free already.
  CHECK(before_free ==
        std::set<std::string>{"reserved", "launching", "confirming", "unconfirmed", "waiting"});
}

TEST_CASE("a slot is in use from its reservation to the end of its replica") {
  const std::set<std::string> idle{"free", "unconfirmed", "waiting", "abandoned"};
  for (int i = 0; i < stages; ++i)
    CHECK(in_use(stage(i)) == (idle.count(to_string(stage(i))) == 0));
}

TEST_CASE("a launch begins on a slot that is free, waits or was abandoned, and on no other") {
  std::set<std::string> before_launch;
  for (int from = 0; from < stages; ++from) {
    if (may_move(stage(from), slot_stage::reserved))
      before_launch.insert(to_string(stage(from)));
  }
  CHECK(before_launch == std::set<std::string>{"free", "waiting", "abandoned"});
}

TEST_CASE("a slot begins free") {
  CHECK(slot_life().now() == slot_stage::free);
}
