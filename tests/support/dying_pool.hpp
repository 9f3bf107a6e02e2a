// SPDX-License-Identifier: MIT
#pragma once

#include "support/simulated_pool.hpp"

#include <chrono>
#include <string>

namespace fleet {

/// A pool whose replica on near-d0 serves, and ways for it to die and come back to the moment.
class dying_pool : public simulated_pool {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit dying_pool(fleet_shape s = {.replicas = 0, .near = 1}) : simulated_pool(s) {
    grow("near-d0");
    load(9000);
  }

  /// Nothing answers on its port any more, and a turn finds out at this moment.
  void die() {
    script->set(9000, probe_verdict::silent);
    const auto turn = route({});
    finish(turn.where.replica, {}, turn_outcome::connect_failed);
  }

  /// The next launch finds the address silent and its replica ready at once.
  void next_one_is_ready() {
    script->set(9000, {{.verdict = probe_verdict::silent}, {.verdict = probe_verdict::good}});
  }

  /// From its death to the beginning of the wait, with a stop that takes no time.
  void die_and_wait() {
    die();
    play(replace_after);
  }

  /// From the beginning of loss n's wait to a replacement that is ready.
  void come_back(int n) {
    next_one_is_ready();
    play(std::chrono::seconds(10 << (n - 1)));
  }

  void lose_three() {
    die_and_wait();
    come_back(1);
    die_and_wait();
    come_back(2);
    die_and_wait();
  }

  [[nodiscard]] std::size_t launches() const { return commands->count("launch", "near-d0"); }
  [[nodiscard]] std::size_t stops() const { return commands->count("stop", "near-d0"); }

  static constexpr std::chrono::seconds replace_after{30};
};

}  // namespace fleet
