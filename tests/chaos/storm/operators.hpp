// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/arena.hpp"
#include "chaos/storm/dice.hpp"
#include "chaos/storm/watcher.hpp"

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

namespace fleet::chaos {

// Asks for replicas, removes them and releases slots at random moments, on a thread of its own.
// Releases only what nothing has held for a while, as an operator who looked at the machine would.
class operators {
 public:
  operators(std::uint64_t seed, arena& where, watcher& eyes, ledger& book);
  ~operators();

 private:
  void run();
  void act();

  dice dice_;
  arena& where_;
  watcher& eyes_;
  ledger& book_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// One call, noted, counted and judged: an answer that the documentation knows, or none while the
// router is harmed. Gives the status.
int call(arena& where, ledger& book, std::string_view method, const std::string& target,
         std::string_view body = "");
// Releases the slots that are unconfirmed and hold nothing.
void release_free_slots(arena& where, watcher& eyes, ledger& book);

}  // namespace fleet::chaos
