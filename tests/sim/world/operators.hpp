// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/commands.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fleet::sim {

/// Who uses the admin API. A slot is released only after a look at its machine.
class operators {
 public:
  operators(context& world, machines& there, commands& given)
      : world_(world), there_(there), given_(given) {}

  /// Something at a bad moment, once or several times at once.
  void meddle();

  void grow(const std::string& slot);
  void shrink(const std::string& slot);
  /// Looks, and releases when nothing of ours is there; `cleans`: ends what is there first.
  void release(const std::string& slot, bool cleans);
  /// `done` is called when that is answered.
  void shut_down(bool hurried, std::function<void()> done);

 private:
  [[nodiscard]] const std::string& any_slot();

  context& world_;
  machines& there_;
  commands& given_;
};

}  // namespace fleet::sim
