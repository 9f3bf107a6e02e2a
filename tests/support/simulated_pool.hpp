// SPDX-License-Identifier: MIT
#pragma once

#include "support/scripted_commander.hpp"
#include "support/simulated_fleet.hpp"

#include <string>
#include <utility>

namespace fleet {

/// A fleet that launches: slots near-d0.. on this machine (ports 9000..), far-d0.. behind ssh
/// (ports 9100..). Nothing answers on their ports until a test says so, see load().
class simulated_pool : public simulated_fleet {
 public:
  explicit simulated_pool(fleet_shape s = {.replicas = 0, .near = 2}) : simulated_fleet(s) {}

  // -- an operator's wishes -------------------------------------------------

  asked<grow_answer> ask_grow(std::string slot = {}) {
    return ask<grow_answer>(fleet.fronts[0], grow_atom_v, std::move(slot));
  }

  asked<shrink_answer> ask_shrink(std::string replica) {
    auto answer = ask<shrink_answer>(fleet.fronts[0], shrink_atom_v, std::move(replica));
    run();
    return answer;
  }

  /// Lets no time pass: only for launches and stops whose script takes none.
  grow_answer grow(std::string slot = {}) {
    auto answer = ask_grow(std::move(slot));
    play({});
    return *answer;
  }

  shrink_answer shrink(std::string replica) {
    auto answer = ask_shrink(std::move(replica));
    play({});
    return *answer;
  }

  release_answer release(std::string slot) {
    auto answer = ask<release_answer>(fleet.fronts[0], release_atom_v, std::move(slot));
    run();
    return *answer;
  }

  pool_view pool() {
    auto answer = ask<pool_view>(fleet.fronts[0], fleet_atom_v);
    run();
    return *answer;
  }

  capacity_view capacity() { return pool().capacity; }

  asked<bool> shut_down() {
    auto done = ask<bool>(fleet.supervisor, shutdown_atom_v);
    play({});
    return done;
  }

  asked<bool> shut_down_now() {
    auto done = ask<bool>(fleet.supervisor, shutdown_atom_v, hurry_atom_v);
    play({});
    return done;
  }

  // -- what processes do ----------------------------------------------------

  /// Its model is loaded: it answers from now on, and the next probe has seen it.
  void load(std::uint16_t port) {
    script->set(port, probe_verdict::good);
    play(std::chrono::seconds(5));
  }

  /// The launched process has ended.
  void end_process(std::string slot, std::string instance, exit_status how, std::string tail = {}) {
    caf::anon_send(commands->listener, exited_atom_v,
                   process_exit{std::move(slot), std::move(instance), how, std::move(tail)});
    play({});
  }
};

}  // namespace fleet
