// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/arena.hpp"
#include "chaos/storm/dice.hpp"
#include "chaos/storm/turn.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace fleet::chaos {

// A client and its conversation: turns one after the other, plain and streamed, over kept or fresh
// connections; some of them it leaves in the middle. One thread at a time.
class chat_client {
 public:
  chat_client(std::size_t number, std::uint64_t seed, arena& where, ledger& book);

  // Takes turns until `stop`, and begins a new conversation now and then.
  void storm(const std::atomic<bool>& stop);
  // Goes on with its conversation for so many turns. All have to be whole, and on one replica from
  // the first of them on.
  void calm(std::size_t turns);
  // Closes its connection.
  void leave() { line_.reset(); }

 private:
  void connect();
  turn ask();
  void exchange(turn& next, bool may_leave);
  bool left_early(const turn& next);
  void sabotage(turn& ended);
  verdict conclude(turn& ended, bool calm);

  std::size_t number_;
  dice dice_;
  arena& where_;
  ledger& book_;
  std::unique_ptr<rig::raw_client> line_;
  std::uint64_t line_epoch_ = 0;
  std::string session_;
  std::vector<std::string> before_;
  std::string last_mark_;
  std::size_t turns_ = 0;
  bool spoilt_ = false;
};

// The clients, each on a thread of its own.
class crowd {
 public:
  crowd(std::size_t size, std::uint64_t seed, arena& where, ledger& book);
  ~crowd() { end_storm(); }

  void begin_storm();
  void end_storm();
  void calm(std::size_t turns);
  void leave();

 private:
  std::vector<std::unique_ptr<chat_client>> clients_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_ = false;
};

}  // namespace fleet::chaos
