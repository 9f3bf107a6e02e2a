// SPDX-License-Identifier: MIT
#pragma once

#include "answer.hpp"
#include "options.hpp"
#include "prefix_cache.hpp"
#include "prompt.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet::stub {

/// One turn, planned when its request is read: what to wait for and what to say.
struct turn_plan {
  answer_head head;
  token_usage used;
  std::string prompt;
  std::string echo;                 ///< what the answer repeats; empty: filler
  duration prefill{0};              ///< before the first token
  std::string finish;               ///< "stop", "length" or "tool_calls"
  std::vector<std::string> inputs;  ///< embeddings
  bool base64 = false;              ///< embeddings
  bool stream = false;
  bool include_usage = false;
};

/// How turns go wrong while the fault file exists: an answer that is no HTTP, one that breaks off
/// in the middle, the end of the process in the middle of one.
enum class fault { none, garbage, cut, die };

/// Counters, as GET /stub/stats shows them.
struct counters {
  std::uint64_t requests = 0;   ///< turns begun
  std::uint64_t active = 0;     ///< turns being answered now
  std::uint64_t completed = 0;  ///< turns whose whole answer was sent
  std::uint64_t cancelled = 0;  ///< turns whose client left first
  std::uint64_t prompt_tokens = 0;
  std::uint64_t cached_tokens = 0;
};

/// The pretended engine: knobs, prefix cache and counters. One thread.
class replica {
 public:
  explicit replica(options knobs);

  /// Called once the socket is bound: names the replica and starts the clocks of the knobs.
  void bound(std::uint16_t port);

  [[nodiscard]] const options& knobs() const { return knobs_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool healthy() const;
  /// What the fault file says now; `none` when it does not exist or says something else.
  [[nodiscard]] fault fault_now() const;

  /// True for each of the first --refuse-turns calls.
  [[nodiscard]] bool refuses_turn();

  /// Looks `request` up in the prefix cache and says how the turn will go.
  [[nodiscard]] turn_plan plan(dialect which, prompt_request request);

  /// Prefill is over: the prompt can be reused from now on.
  void prefilled(const turn_plan& turn) { cache_.remember(turn.prompt); }

  [[nodiscard]] counters& count() { return count_; }
  [[nodiscard]] std::string stats() const;
  [[nodiscard]] std::string models() const;

  /// Ends the process, as a crash would, when --die-after-requests says so.
  void die_if_due() const;
  /// Ends the process, as a crash would.
  [[noreturn]] void die() const;

 private:
  options knobs_;
  std::string name_;
  std::string model_;
  std::uint16_t port_ = 0;
  std::chrono::steady_clock::time_point bound_at_{};
  prefix_cache cache_;
  std::size_t refused_ = 0;
  counters count_;
};

}  // namespace fleet::stub
