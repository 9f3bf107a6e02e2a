// SPDX-License-Identifier: MIT
#include "fleet/http/event_ring.hpp"

#include "support/quiet_log.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;
using namespace fleet::http;

namespace {

constexpr wall_time noon{std::chrono::seconds(1'800'000'000)};

void fill(event_ring& ring, int count) {
  for (int i = 0; i < count; ++i)
    ring.append(noon, "replacing", {{"slot", "n-d" + std::to_string(i)}});
}

std::vector<std::uint64_t> numbers_of(const event_batch& batch) {
  std::vector<std::uint64_t> out;
  for (const auto& each : batch.events)
    out.push_back(each->number);
  return out;
}

using numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("events are numbered from 1 and read in that order behind any of them") {
  event_ring ring("boot");
  CHECK(ring.boot() == "boot");
  CHECK(ring.last() == 0);
  CHECK(ring.behind(0, 10).events.empty());
  fill(ring, 4);
  CHECK(ring.last() == 4);
  CHECK(numbers_of(ring.behind(0, 10)) == numbers{1, 2, 3, 4});
  CHECK(numbers_of(ring.behind(2, 10)) == numbers{3, 4});
  CHECK(numbers_of(ring.behind(0, 3)) == numbers{1, 2, 3});
  CHECK(ring.behind(4, 10).events.empty());
  CHECK(ring.behind(5, 10).events.empty());
  CHECK(ring.behind(4, 10).complete);
}

TEST_CASE("an event has its time, the name of its log line and the line's fields") {
  event_ring ring("boot");
  ring.append(noon, "slot_abandoned", {{"slot", "n-d0"}, {"losses", "3"}});
  const auto one = ring.behind(0, 1).events.at(0);
  CHECK(one->at == noon);
  CHECK(one->name == "slot_abandoned");
  const std::vector<std::pair<std::string, std::string>> fields{{"slot", "n-d0"}, {"losses", "3"}};
  CHECK(one->fields == fields);
}

TEST_CASE("so many events are kept, and a reader that is further behind is told") {
  event_ring ring("boot", 3);
  fill(ring, 5);
  CHECK(numbers_of(ring.behind(2, 10)) == numbers{3, 4, 5});
  CHECK(ring.behind(2, 10).complete);
  CHECK(numbers_of(ring.behind(1, 10)) == numbers{3, 4, 5});
  CHECK_FALSE(ring.behind(1, 10).complete);
  CHECK_FALSE(ring.behind(0, 10).complete);
}

TEST_CASE("of a long value the end is kept, from a whole character on") {
  event_ring ring("boot");
  ring.append(noon, "replica_exited", {{"reason", std::string(9000, 'x') + "\x1b[31m the end"}});
  ring.append(noon, "replica_exited",
              {{"reason", "é" + std::string(event_ring::longest_value, 'y')}});
  ring.append(noon, "replica_exited",
              {{"reason", "é" + std::string(event_ring::longest_value - 5, 'y')}});
  const auto all = ring.behind(0, 9).events;
  const auto& first = all.at(0)->fields.at(0).second;
  CHECK(first.size() == event_ring::longest_value);
  CHECK(first.starts_with("... xxx"));
  CHECK(first.ends_with("?[31m the end"));
  CHECK(all.at(1)->fields.at(0).second.starts_with("... yyy"));
  CHECK(all.at(2)->fields.at(0).second.starts_with("éyyy"));
}

TEST_CASE(
    "every log line is passed on, and those about the fleet are events whatever their level") {
  quiet_log next;
  event_ring ring("boot");
  event_log log(next, ring, [] { return noon; });
  log.debug("replica_phase", {{"phase", "ready"}});
  log.warn("turn_timeout", {{"request_id", "r"}});
  log.error("slot_abandoned");
  CHECK(next.count("replica_phase") == 1);
  CHECK(next.count("turn_timeout") == 1);
  CHECK(next.count("slot_abandoned") == 1);
  CHECK(next.errors() == 1);
  const auto kept = ring.behind(0, 9).events;
  REQUIRE(kept.size() == 2);
  CHECK(kept[0]->name == "replica_phase");
  CHECK(kept[1]->name == "slot_abandoned");
  CHECK(kept[0]->at == noon);
}

TEST_CASE("lines about the fleet are events, lines about single turns and clients are not") {
  for (const auto* name : {"replica_phase",
                           "replica_unroutable",
                           "replica_lost",
                           "replica_exited",
                           "replacement_waits",
                           "replacing",
                           "replacement_cancelled",
                           "slot_abandoned",
                           "stop_unconfirmed",
                           "replica_draining",
                           "replica_drained",
                           "replica_adopted",
                           "replica_launching",
                           "replica_launched",
                           "launch_failed",
                           "replica_stopped",
                           "slot_released",
                           "slot_reserved",
                           "replica_unreachable",
                           "actor_died",
                           "listening",
                           "stopping",
                           "stopped",
                           "state_file",
                           "record_failed",
                           "second_signal",
                           "drain_timeout"})
    CHECK_MESSAGE(is_fleet_event(name), name);
  for (const auto* name : {"", "turn_timeout", "replica_failed", "replica_connect_failed",
                           "admin_unauthorized", "accept_paused", "zebra"})
    CHECK_FALSE_MESSAGE(is_fleet_event(name), name);
}

TEST_CASE("several threads may write and read at once") {
  event_ring ring("boot", 64);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] { fill(ring, 500); });
  std::uint64_t seen = 0;
  std::uint64_t read = 0;
  while (seen < 2000) {
    for (const auto& each : ring.behind(seen, 16).events) {
      REQUIRE(each->number > seen);
      seen = each->number;
      ++read;
    }
  }
  for (auto& each : writers)
    each.join();
  CHECK(read >= 64);
  CHECK(ring.last() == 2000);
}
