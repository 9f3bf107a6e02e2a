// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"

#include "fleet/actors/messages.hpp"

#include <cstdint>
#include <string>

namespace fleet::sim {

/// Names one open question of a router to its world; the answer carries it back.
using question = std::uint64_t;

/// What lies behind the doors of a router: network, machines, disk. Called from the router's
/// actors; it never answers inside the call.
class outside {
 public:
  outside() = default;
  outside(const outside&) = delete;
  outside& operator=(const outside&) = delete;
  virtual ~outside() = default;

  virtual void probe(question q, const endpoint& where, duration limit) = 0;
  virtual void launch(question q, const launch_order& order) = 0;
  virtual void stop(question q, const stop_order& order) = 0;
  virtual void inspect(question q, const inspect_order& order) = 0;
  virtual void record(question q, const slot_record& what) = 0;
  virtual void erase(question q, const std::string& slot) = 0;
};

}  // namespace fleet::sim
