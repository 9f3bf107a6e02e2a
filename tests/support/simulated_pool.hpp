// SPDX-License-Identifier: MIT
#pragma once

#include "support/simulated_fleet.hpp"

#include <string>

namespace fleet {

/// A fleet that launches: slots near-d0.. on this machine (ports 9000..), far-d0.. behind ssh
/// (ports 9100..). Nothing answers on their ports until a test says so, see load().
class simulated_pool : public simulated_fleet {
 public:
  explicit simulated_pool(fleet_shape s = {.replicas = 0, .near = 2});

  // -- an operator's wishes -------------------------------------------------

  asked<grow_answer> ask_grow(std::string slot = {});

  asked<shrink_answer> ask_shrink(std::string replica);

  /// Lets no time pass: only for launches and stops whose script takes none.
  grow_answer grow(std::string slot = {});
  shrink_answer shrink(std::string replica);
  release_answer release(std::string slot);
  pool_view pool();
  capacity_view capacity();
  asked<bool> shut_down();
  asked<bool> shut_down_now();

  // -- what processes do ----------------------------------------------------

  /// Its model is loaded: it answers from now on, and the next probe has seen it.
  void load(std::uint16_t port);

  /// The launched process has ended.
  void end_process(std::string slot, std::string instance, exit_status how, std::string tail = {});
};

}  // namespace fleet
