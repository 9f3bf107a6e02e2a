// SPDX-License-Identifier: MIT
#include "fleet/core/replica_health.hpp"

#include <utility>

namespace fleet {

namespace {

constexpr int failures_allowed = 1;

}  // namespace

bool replica_health::good_probe() {
  failures_ = 0;
  reason_.clear();
  return std::exchange(now_, phase::ready) != phase::ready;
}

bool replica_health::bad_probe(std::string reason) {
  if (now_ == phase::ready && ++failures_ <= failures_allowed)
    return false;
  return lost(std::move(reason));
}

bool replica_health::lost(std::string reason) {
  return unroutable(now_ == phase::ready ? phase::failed : now_, std::move(reason));
}

bool replica_health::unroutable(phase next, std::string reason) {
  if (next == now_ && reason == reason_)
    return false;
  failures_ = 0;
  now_ = next;
  reason_ = std::move(reason);
  return true;
}

}  // namespace fleet
