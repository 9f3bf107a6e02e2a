// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/replica.hpp"

#include <string>

namespace fleet {

/// One replica's phase as its probes and its turns tell it. Contract section 5: two consecutive
/// failed probes take a ready one out, the first good one makes any ready. It moves starting ->
/// ready <-> failed and in no other way: one that never answered stays `starting`. (`draining` is
/// a decision, not an observation, and is laid over this by whoever decides it.)
///
/// A probe that told nothing about the replica is not reported here at all.
class replica_health {
 public:
  explicit replica_health(phase now = phase::starting) : now_(now) {}

  /// Each tells whether phase or reason changed. `reason` is for the operator and not empty.
  bool good_probe();
  bool bad_probe(std::string reason);

  /// A turn could not connect: one that was ready is failed at once.
  bool lost(std::string reason);

  [[nodiscard]] phase now() const { return now_; }

  /// Why it is not ready; empty when it is, and before the first bad probe.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  bool unroutable(phase next, std::string reason);

  phase now_;
  std::string reason_;
  int failures_ = 0;  // consecutive bad probes while ready
};

}  // namespace fleet
