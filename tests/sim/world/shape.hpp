// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"

#include "fleet/core/host.hpp"
#include "fleet/core/record.hpp"
#include "fleet/core/replica.hpp"
#include "fleet/core/settings.hpp"

#include <cstddef>
#include <vector>

namespace fleet::sim {

/// Every slot of the world has a port of its own, so that a port names it.
constexpr std::size_t first_slot_port = 9000;
constexpr std::size_t ports_per_host = 8;

/// The calendar at that moment of the world.
[[nodiscard]] inline wall_time calendar(moment now) {
  return wall_time(std::chrono::hours(24 * 365 * 50) + now);
}

/// What the world of one run looks like, and how long it is harmed.
struct shape {
  routing_settings routing;
  launch_settings launch;
  std::vector<replica_spec> statics;
  std::vector<host_spec> hosts;
  std::vector<slot_spec> slots;
  bool journal = true;
  int faults = 50;  ///< about so many, spread over `harmed`
  duration harmed = 20min;
  std::size_t sessions = 8;
  duration turn_every = 10s;  ///< on average
};

/// Two to four hosts of one to three slots, and everything an operator may set, by chance.
[[nodiscard]] shape random_shape(chance& luck);

/// `hosts` hosts of `slots_each` slots behind ssh, all launched, with the default settings.
[[nodiscard]] shape large_shape(std::size_t hosts, std::size_t slots_each);

}  // namespace fleet::sim
