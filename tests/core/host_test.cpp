// SPDX-License-Identifier: MIT
#include "fleet/core/host.hpp"

#include <doctest/doctest.h>

using fleet::host_spec;
using fleet::lay_out_slots;

namespace {

std::vector<std::string> names(const std::vector<fleet::slot_spec>& slots) {
  std::vector<std::string> result;
  for (const auto& slot : slots) {
    result.push_back(slot.name);
  }
  return result;
}

}  // namespace

TEST_CASE("slots are ordered local hosts first, then in the order of the file") {
  const std::vector<host_spec> hosts{
      {.name = "far", .ssh = "user@far", .devices = {0}},
      {.name = "near", .devices = {4}},
      {.name = "farther", .ssh = "farther", .devices = {1}},
      {.name = "nearer", .devices = {7}},
  };
  CHECK(names(lay_out_slots(hosts)) ==
        std::vector<std::string>{"near-d4", "nearer-d7", "far-d0", "farther-d1"});
}

TEST_CASE("device groups are taken in the listed order and named after their first device") {
  const std::vector<host_spec> hosts{
      {.name = "n", .devices = {5, 2, 0, 7}, .devices_per_replica = 2}};
  const auto slots = lay_out_slots(hosts);
  CHECK(names(slots) == std::vector<std::string>{"n-d5", "n-d0"});
  CHECK(slots[0].devices == std::vector<std::uint32_t>{5, 2});
  CHECK(slots[1].devices == std::vector<std::uint32_t>{0, 7});
}

TEST_CASE("a slot's port is port_base plus its first device, at its host's address") {
  const std::vector<host_spec> hosts{
      {.name = "a", .devices = {1}},
      {.name = "b", .ssh = "b", .address = "10.0.0.9", .devices = {3, 4}, .port_base = 9000}};
  const auto slots = lay_out_slots(hosts);
  REQUIRE(slots.size() == 3);
  CHECK(slots[0] == fleet::slot_spec{"a-d1", 0, {1}, 8002, "127.0.0.1"});
  CHECK(slots[1] == fleet::slot_spec{"b-d3", 1, {3}, 9003, "10.0.0.9"});
  CHECK(slots[2] == fleet::slot_spec{"b-d4", 1, {4}, 9004, "10.0.0.9"});
}

TEST_CASE("the capacity of a host is its devices divided by devices_per_replica") {
  host_spec host{.name = "node01", .devices = {0, 1, 2, 3, 4, 5, 6, 7}};
  CHECK(lay_out_slots({host}).size() == 8);
  host.devices_per_replica = 8;
  CHECK(names(lay_out_slots({host})) == std::vector<std::string>{"node01-d0"});
}
