// SPDX-License-Identifier: MIT
#include "system/support/deadline.hpp"

#include <algorithm>
#include <thread>

namespace fleet::rig {

bool eventually(const std::function<bool()>& condition, milliseconds limit) {
  const auto deadline = clock::now() + limit;
  while (!condition()) {
    if (clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

bool throughout(milliseconds span, const std::function<bool()>& condition) {
  return !eventually([&] { return !condition(); }, span);
}

milliseconds left(clock::time_point deadline) {
  return std::max(0ms, std::chrono::duration_cast<milliseconds>(deadline - clock::now()));
}

}  // namespace fleet::rig
