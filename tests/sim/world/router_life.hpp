// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/outside.hpp"
#include "sim/world/shape.hpp"
#include "sim/world/trace.hpp"

#include "fleet/core/log.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fleet::sim {

/// One life of a router: the real actors on one thread in simulated time, from start_fleet to an
/// end between any two messages. Which actor works next is up to chance.
class router_life {
 public:
  struct setup {
    const shape& made_of;
    std::vector<slot_record> recorded;
    moment now;
    outside& world;
    chance& luck;
    trace& events;
    logger& log;
    std::function<std::string()> mint_instance;
  };

  explicit router_life(setup with);

  /// A crash: nothing that the actors still do gets out.
  ~router_life();
  router_life(const router_life&) = delete;
  router_life& operator=(const router_life&) = delete;

  // -- work and time --------------------------------------------------------

  /// Lets actors work until nothing is left to do. False: the crash that was due came first.
  [[nodiscard]] bool settle();

  /// A crash after so many messages, at least 1, unless an earlier one is due.
  void crash_in(std::uint64_t messages);
  /// None of those that are due.
  void crash_never();

  /// Messages handled so far.
  [[nodiscard]] std::uint64_t messages() const;

  [[nodiscard]] std::optional<moment> next_timer() const;

  /// Time goes on to `to`; timers go off up to there, nobody works yet.
  void advance(moment to);

  // -- what the world answers; each question once ---------------------------

  void answer(question q, const probe_result& result);
  void answer(question q, const launch_result& result);
  void answer(question q, const stop_result& result);
  void answer(question q, const inspection& result);
  void tell(const process_exit& end);
  /// An empty reason: it is on the disk.
  void written(question q, const std::string& why_not);

  // -- what the world asks --------------------------------------------------

  /// What to do with an answer; null when it is an error. Never called after a crash.
  template <class T>
  using then = std::function<void(const T*)>;

  void route(const route_query& query, then<route_answer> with);
  void describe(instance_id id, then<replica_spec> with);
  void finished(const turn_end& end);
  void grow(const std::string& slot, then<grow_answer> with);
  void shrink(const std::string& slot, then<shrink_answer> with);
  void release(const std::string& slot, then<release_answer> with);
  void view(then<pool_view> with);
  void shut_down(bool hurried, then<bool> with);

  /// As if by a defect.
  void kill_prober();

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace fleet::sim
