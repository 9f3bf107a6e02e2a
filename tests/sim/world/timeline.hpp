// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace fleet::sim {

/// What will happen in the world, whatever the router does: those of one moment in the order they
/// were planned.
class timeline {
 public:
  void at(moment when, std::function<void()> what) { events_.emplace(when, std::move(what)); }

  [[nodiscard]] std::optional<moment> next() const {
    return events_.empty() ? std::nullopt : std::optional(events_.begin()->first);
  }

  /// Takes the first one out; there is one.
  std::function<void()> take() { return std::move(events_.extract(events_.begin()).mapped()); }

 private:
  std::multimap<moment, std::function<void()>> events_;
};

}  // namespace fleet::sim
