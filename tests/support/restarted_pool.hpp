// SPDX-License-Identifier: MIT
#pragma once

#include "support/simulated_pool.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fleet {

/// A replica on near-d<device>, as recorded.
inline slot_record near(std::uint32_t device, std::string reason = {}) {
  const auto name = "near-d" + std::to_string(device);
  return {.slot = name,
          .host = "near",
          .devices = {device},
          .address = "127.0.0.1",
          .port = static_cast<std::uint16_t>(9000 + device),
          .process = {.instance = "old" + std::to_string(device), .process_group = 4711},
          .reason = std::move(reason)};
}

inline slot_record reserved(std::uint32_t device, std::string reason, std::chrono::seconds ago) {
  auto record = near(device, std::move(reason));
  record.detail = "as it was";
  record.since = simulated_fleet::started_at - ago;
  return record;
}

/// Two slots near-d0 and near-d1, and what was left on them.
inline fleet_shape left(std::vector<slot_record> recorded, std::size_t initial = 0) {
  fleet_shape shape{.replicas = 0, .near = 2};
  shape.launch.initial_replicas = initial;
  shape.launch.launch_timeout = std::chrono::seconds(60);
  shape.recorded = std::move(recorded);
  return shape;
}

/// A router that starts on this, with what answers on near-d0.
struct restarted : simulated_pool {
  restarted(fleet_shape shape, probe_verdict answers) : simulated_pool(std::move(shape)) {
    script->set(9000, answers);
  }
};

inline std::vector<std::string> reasons(const capacity_view& of) {
  std::vector<std::string> all;
  for (const auto& x : of.unconfirmed)
    all.push_back(x.slot + ":" + x.reason);
  return all;
}

using texts = std::vector<std::string>;

}  // namespace fleet
