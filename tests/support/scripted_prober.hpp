// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fleet {

/// How one replica answers its probes.
struct probe_step {
  probe_verdict verdict = probe_verdict::good;
  std::chrono::nanoseconds after{0};  ///< at the limit or later: silent at the limit
  bool connected = false;             ///< a silent one accepted the connection all the same
};

/// What the network is like, by port, and what was asked of it. One thread only.
struct probe_script {
  std::map<std::uint16_t, std::vector<probe_step>> steps;  ///< the last one stays; none: good
  std::map<std::uint16_t, int> under_way;
  int most_at_once = 0;  ///< probes of one replica under way together, at worst
  struct seen {
    std::uint16_t port;
    std::chrono::steady_clock::time_point at;
    caf::timespan limit;
    caf::strong_actor_ptr asker;
  };
  std::vector<seen> probes;

  [[nodiscard]] std::size_t count(std::uint16_t port) const;

  /// From now on this replica answers so.
  void set(std::uint16_t port, std::vector<probe_step> now) { steps[port] = std::move(now); }
  void set(std::uint16_t port, probe_verdict now) { steps[port] = {{.verdict = now}}; }

  probe_step next(std::uint16_t port);
};

using scripted_prober_actor =
    prober_actor::extend<caf::reacts_to<tick_atom, std::uint64_t /*probe*/>>;

struct scripted_prober_state {
  static constexpr const char* name = "scripted_prober";
  struct pending {
    std::uint16_t port;
    caf::typed_response_promise<probe_result> promise;
    probe_result result;
  };
  std::map<std::uint64_t, pending> waiting;
  std::uint64_t last = 0;
};

/// A prober without a network, in the time of the actor clock.
scripted_prober_actor::behavior_type scripted_prober(
    scripted_prober_actor::stateful_pointer<scripted_prober_state> self,
    std::shared_ptr<probe_script> script);

}  // namespace fleet
