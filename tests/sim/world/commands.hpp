// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/machines.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace fleet::sim {

/// What the launch, stop and inspect commands of a router do to the machines, and what they tell.
/// A command may go on when its router has crashed.
class commands {
 public:
  commands(context& world, machines& there) : world_(world), there_(there) {}

  void launch(question q, const launch_order& order);
  void stop(question q, const stop_order& order);
  void inspect(question q, const inspect_order& order);

  enum class ssh_state : std::uint8_t { fine, refuses, hangs };
  void break_ssh(std::size_t host, ssh_state how, duration how_long);
  void heal() { broken_.clear(); }

  /// Launches under way that may still start something on that slot.
  [[nodiscard]] bool may_start(const std::string& slot) const;

 private:
  struct trouble {
    ssh_state how = ssh_state::fine;
    moment until{0};
  };

  [[nodiscard]] ssh_state reach(const host_spec& host, std::size_t index) const;
  void launch_in_trouble(question q, const launch_order& order, ssh_state how);
  void launch_by_chance(question q, const launch_order& order);
  void start_then(const launch_order& order, duration delay, const upbringing& how);
  void tell_launch(question q, duration delay, launch_result result);
  [[nodiscard]] static launch_result started(const launch_order& order);
  [[nodiscard]] static launch_result failed(const launch_order& order, std::string why,
                                            bool may_be_running);
  void kill_then(question q, const stop_order& order, duration delay);
  void tell_stop(question q, duration delay, const std::string& instance, stop_result result);

  context& world_;
  machines& there_;
  std::map<std::size_t, trouble> broken_;
  std::map<std::string, int> starting_;
};

}  // namespace fleet::sim
