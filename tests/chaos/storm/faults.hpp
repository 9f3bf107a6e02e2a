// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/arena.hpp"
#include "chaos/storm/dice.hpp"
#include "chaos/storm/watcher.hpp"
#include "system/support/scripted_replica.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace fleet::chaos {

// Breaks things at random moments and puts them right again. On the thread that starts and ends
// the router.
//   replicas  SIGKILL; SIGSTOP for a while; answers that are no HTTP, break off, or end the
//             process; a /health that says 503
//   ports     a stranger on the port of a slot without a replica
//   disk      no room for the state file
//   clock     steps of seconds, an hour or a day, forward and back
//   router    more clients than descriptors; SIGKILL and restart, also with a replica that dies
//             meanwhile; an orderly end and restart
class faults {
 public:
  faults(std::uint64_t seed, arena& where, watcher& eyes, ledger& book);

  void storm(clock::time_point until);
  // Puts right what is still broken.
  void end_all();

 private:
  struct ending {
    clock::time_point at;
    std::function<void()> act;
  };

  void begin_one();
  void end_due();
  // Begins with the note, ends with `undo` after a random while within these.
  void last(const std::string& what, rig::milliseconds least, rig::milliseconds most,
            std::function<void()> undo);

  void kill_replica();
  void freeze_replica();
  void misbehave();
  void fall_ill();
  void take_port();
  void fill_disk();
  void free_disk();
  void crowd_out();
  void step_clock();
  void crash_router();
  void restart_router();
  const holder* some_replica();

  dice dice_;
  arena& where_;
  watcher& eyes_;
  ledger& book_;
  std::vector<holder> live_;
  std::list<ending> endings_;
  bool disk_full_ = false;
  bool crowded_ = false;
};

}  // namespace fleet::chaos
