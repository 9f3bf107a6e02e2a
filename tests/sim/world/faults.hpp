// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/clients.hpp"
#include "sim/world/disk.hpp"
#include "sim/world/operators.hpp"

#include <functional>
#include <optional>
#include <string>

namespace fleet::sim {

/// What goes wrong, one thing after another by chance. Faults of launches and stops are not here:
/// see commands.
class faults {
 public:
  struct victims {
    context& world;
    machines& there;
    commands& given;
    disk& file;
    clients& turns;
    operators& people;
    std::function<void()> end_router;  ///< an orderly shutdown and another start
  };

  explicit faults(victims v) : v_(v) {}

  /// So many of them within this time.
  void plan(int count, duration within);

 private:
  void strike();
  void harm_process();
  void harm_network();
  void harm_ssh();
  void harm_disk();
  void harm_router();
  [[nodiscard]] std::optional<std::string> any_process();

  victims v_;
};

}  // namespace fleet::sim
