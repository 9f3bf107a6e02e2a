// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/deadline.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::chaos {

using rig::clock;
using namespace std::chrono_literals;

// What was done to the fleet that a client may notice.
//   killed   a replica's process was killed, or ended itself in the middle of an answer
//   frozen   a replica's process was stopped by SIGSTOP
//   garbage  a replica answers what is no HTTP
//   cut      a replica breaks its answers off
//   router   the router was killed or told to end, and is not back yet
//   burst    the router is out of descriptors
enum class harm { killed, frozen, garbage, cut, router, burst };

// What happened, what was harmed when, and which rules were broken. Any thread.
class ledger {
 public:
  ledger() : began_{clock::now()} {}

  // An event; the latest are kept and told when a rule is broken.
  void note(const std::string& text);
  // A broken rule. The first ones are kept.
  void fail(const std::string& text);
  bool failed() const { return failed_; }

  // Counts under a name that is made of group and kind.
  void count(std::string_view group, std::string_view kind);

  // Harm begins; `slot` is empty for the router. It lasts until `heal`.
  std::uint64_t begin_harm(harm what, const std::string& slot);
  void heal(std::uint64_t id);
  // Whether one of these kinds was done to `slot` (empty: to any) in a span that a turn lived in.
  // Widened by a second for what was under way when the turn began.
  bool harmed(std::initializer_list<harm> kinds, std::string_view slot, clock::time_point begin,
              clock::time_point end) const;

  // For the end: counters by name, broken rules, the latest events.
  std::string totals() const;
  std::string failures() const;
  std::string last_events(std::size_t most) const;

 private:
  struct entry {
    std::uint64_t id;
    harm what;
    std::string slot;
    clock::time_point begin;
    std::optional<clock::time_point> end;
  };

  std::string stamped(const std::string& text) const;

  clock::time_point began_;
  mutable std::mutex mutex_;
  std::deque<std::string> events_;
  std::vector<std::string> failures_;
  std::atomic<bool> failed_ = false;
  std::map<std::string, std::map<std::string, std::uint64_t>> counts_;
  std::list<entry> harms_;
  std::uint64_t next_id_ = 1;
};

}  // namespace fleet::chaos
