// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/machines.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace fleet::sim {

/// Who sends turns: a few conversations and many single questions. Each ticket is given back once.
class clients {
 public:
  clients(context& world, machines& there) : world_(world), there_(there) {}

  /// Turns come from now on.
  void begin();
  /// No new ones.
  void stop() { stopped_ = true; }
  void burst(std::size_t turns);

  /// Whatever served that port is gone: its turns break off.
  void broken(std::uint16_t port);
  void router_died();

  [[nodiscard]] std::size_t in_flight() const { return turns_.size(); }

 private:
  struct turn {
    route_query query;
    moment asked{0};
    instance_id where;
    affinity chosen = affinity::none;
    std::uint16_t port = 0;
    bool connected = false;
  };

  void come();
  void ask(std::uint64_t id);
  void answered(std::uint64_t id, const route_answer* answer);
  void connect(std::uint64_t id);
  void fail_to_connect(std::uint64_t id);
  void serve(std::uint64_t id);
  void finish(std::uint64_t id, turn_outcome how);
  void give_back(const turn& t, turn_outcome how, bool gets_lost = false);

  context& world_;
  machines& there_;
  std::map<std::uint64_t, turn> turns_;
  std::unordered_map<instance_id, std::uint16_t> ports_;  // as the router described them
  std::map<std::uint16_t, instance_id> stale_;            // see sabotage
  std::uint64_t last_ = 0;
  bool stopped_ = false;
};

}  // namespace fleet::sim
