// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/arena.hpp"
#include "chaos/storm/clients.hpp"
#include "chaos/storm/faults.hpp"
#include "chaos/storm/operators.hpp"
#include "chaos/storm/watcher.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fleet::chaos {

struct run_setup {
  std::string folder;
  std::uint64_t seed = 1;
  rig::milliseconds storm = 60s;
  std::size_t clients = 32;
  plant planted = plant::none;
};

// A storm and the calm behind it. On the thread that made it, which must outlive it: the router
// dies with that thread.
class run {
 public:
  run(run_setup setup, ledger& book);
  // Kills what is left.
  ~run();

  // Plays it; the ledger has what came of it.
  void play();
  std::string router_log(std::size_t lines) const { return where_.log_tail(lines); }

 private:
  void rise();
  void storm();
  void plant_in_storm();
  void settle();
  void settle_once();
  void quiet();
  void end();
  bool all_ready() const;
  std::int64_t outstanding() const;
  // A process like a launched replica, but of nobody.
  void stray(std::size_t device);
  // How long a condition of the calm may take; a planted fault shows sooner.
  rig::milliseconds patience() const { return setup_.planted == plant::none ? 60s : 5s; }

  run_setup setup_;
  ledger& book_;
  arena where_;
  watcher eyes_;
  crowd clients_;
  std::size_t descriptors_ = 0;
  std::vector<std::unique_ptr<rig::child_process>> strays_;
  std::vector<std::unique_ptr<rig::raw_client>> held_;
};

}  // namespace fleet::chaos
