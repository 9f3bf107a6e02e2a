// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"
#include "fleet/core/slot_life.hpp"

#include <caf/actor_clock.hpp>
#include <caf/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fleet {

/// What a slot actor is made from.
struct slot_setup {
  std::uint64_t index = 0;
  host_spec host;
  slot_spec slot;
  replica_spec spec;  ///< of the replicas launched on it, and what they occupy
  placement place;
  slot_stage known = slot_stage::free;  ///< free or unconfirmed
  routing_settings routing;
  launch_settings launch;
  router_actor router;
  prober_actor prober;
  commander_actor commander;
  journal_actor journal;  ///< null: nothing is recorded
  slot_listener_actor listener;
  logger* log = nullptr;
};

/// What an answer from a replica's address says, for the operator.
[[nodiscard]] std::string what_answers(const probe_result& found);

/// Some HTTP answer came.
[[nodiscard]] bool answered(const probe_result& found);

class slot_state {
 public:
  using pointer = slot_actor::stateful_pointer<slot_state>;
  static constexpr const char* name = "slot";

  explicit slot_state(pointer self) : self_(self) {}
  slot_state(const slot_state&) = delete;
  slot_state& operator=(const slot_state&) = delete;
  ~slot_state() { end_watch(); }

  slot_actor::behavior_type start(slot_setup setup);

 private:
  using time_point = caf::actor_clock::time_point;

  // -- messages -------------------------------------------------------------

  void launch(instance_id id, std::string& process);
  void adopt(instance_id id, slot_record& found, std::chrono::nanoseconds age);
  void stop(instance_id id);
  void hurry(instance_id id);
  void release();
  caf::result<log_answer> read_log(const log_query& wanted);
  void tick(std::uint64_t step);
  void revive(instance_id id);
  void hear(const phase_report& report);
  void lost(instance_id id, std::string& reason);
  void exited(const process_exit& end);
  void actor_died(const caf::down_msg& death);
  void commander_lost(const std::string& why);

  // -- the way up -----------------------------------------------------------

  void address_checked(const probe_result& found);
  void start_process();
  void launched(launch_result& result);
  void load(phase known);
  void watch();
  void wait_for_load();
  void load_timer();
  void look();
  void too_late(const std::string& log);
  void inspected(std::uint64_t step, const inspection& found);
  void ended(const exit_status& how, const std::string& log);
  void vanished(const std::string& log);
  void launch_failed(std::string reason);  // only says so
  void died(const process_exit& end);
  void see_what_is_left(std::string reason);
  void tell_health(phase health, std::string reason, std::string detail);

  // -- the way down ---------------------------------------------------------

  void retire();
  void say_drained();
  void stop_process();
  void stopped(const stop_result& result);
  void address_probed(const probe_result& found);
  void gone();
  void give_up(const std::string& why);

  // -- what an earlier router left: see slot_adopt.cpp ----------------------

  void looked_for(const probe_result& found);
  void look_again();
  void take_over(bool ready);

  // -- the record: see slot_record.cpp --------------------------------------

  void record_intent();
  void record_process();
  void record_unconfirmed();
  void erase_record();
  // Goes on with `then`, if there is one, once this is on the disk or cannot get there, unless the
  // slot has moved in the meantime. `why_not` is empty when it is.
  void record(const std::string& reason, std::function<void(const std::string& why_not)> then);
  // Its answer is in; it is about the step at which it was asked.
  void recorded(std::uint64_t step, const std::string& why_not);

  // -- the rest -------------------------------------------------------------

  // Begins with a new instance. False: it is not free.
  bool take(instance_id id, process_ref process);
  void be_held_for(std::string reason);
  // Moves on and tells; whatever the last step still waits for counts no more.
  bool advance(slot_stage to);
  void arm(std::chrono::nanoseconds delay);
  void end_watch();
  // Asks for one probe and goes on with `then`, unless the slot has moved in the meantime.
  void probe(std::function<void(const probe_result&)> then);
  [[nodiscard]] const endpoint& where() const { return setup_.spec.where; }
  [[nodiscard]] time_point now() const;

  pointer self_;
  slot_setup setup_;
  slot_life life_;
  std::uint64_t step_ = 0;                // grows with each move
  std::optional<std::uint64_t> looking_;  // the step whose look at the process is still out

  instance_id id_;
  process_ref process_;
  replica_actor replica_;  // null while nothing is watched, and between its death and its revival
  instance_id shown_;      // in the router's table, maybe beyond its end, until the next one
  phase known_ = phase::starting;
  time_point deadline_{};                  // of the stage, where it has one
  std::optional<time_point> drain_began_;  // of one that served
  std::string not_ready_;                  // what its last probe said against it
  std::function<void(const std::string& why_not)> after_record_;  // what waits for the journal
  std::string failure_;                                           // why this launch came to nothing
  std::string reason_;  // of an unconfirmed one: a stable word
  time_point reason_since_{};
  bool adopted_ = false;   // launched by an earlier router
  bool unwanted_ = false;  // stop as soon as it can be
  bool hurried_ = false;   // without a drain
};

/// Takes one replica at a time from its reservation to its confirmed end. `log` outlives the actor.
slot_actor::behavior_type slot(slot_state::pointer self, const slot_setup& setup);

}  // namespace fleet
