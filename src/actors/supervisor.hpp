// SPDX-License-Identifier: MIT
#pragma once

#include "slot.hpp"

#include "fleet/actors/system.hpp"
#include "fleet/core/loss_policy.hpp"
#include "fleet/core/pool_table.hpp"

#include <caf/actor_addr.hpp>
#include <caf/response_promise.hpp>
#include <caf/result.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fleet {

class supervisor_state {
 public:
  using pointer = supervisor_actor::stateful_pointer<supervisor_state>;
  static constexpr const char* name = "supervisor";

  explicit supervisor_state(pointer self) : self_(self) {}
  supervisor_actor::behavior_type start(fleet_plan plan, router_actor router, logger& log);

 private:
  template <class Answer>
  using promises = std::vector<caf::typed_response_promise<Answer>>;

  // A static replica.
  struct member {
    replica_spec spec;
    phase known = phase::starting;  // as last reported
    replica_actor actor;            // null between its death and its revival
  };

  // A slot, in the order of the pool table.
  struct slot_member {
    slot_setup setup;
    slot_actor actor;
    instance_id instance;  // the last one launched
    std::string process;   // its process_ref::instance
    instance_id shown;     // in the router's table; beyond its end while a replacement is to follow
    loss_policy losses;
    std::uint64_t epoch = 0;  // of the one timer that counts
    std::string reason;       // why its replica is or was not routable, as anyone may see it
    std::string last_loss;    // the same in full, for the operator
    promises<grow_answer> growing;
    promises<shrink_answer> shrinking;
    promises<release_answer> releasing;
  };

  // A recorded slot that the fleet file does not declare.
  struct undeclared_slot {
    std::string reason;
    std::string detail;
    std::chrono::nanoseconds since{0};
    promises<release_answer> releasing;
  };

  // -- messages about replicas ----------------------------------------------

  void revive(instance_id id);
  void hear(const phase_report& report);
  void lost(instance_id id, std::string& reason);
  void actor_died(const caf::down_msg& death);
  void exit(const caf::error& reason);

  // -- messages about the pool ----------------------------------------------

  caf::result<grow_answer> grow(const std::string& wanted);
  caf::result<shrink_answer> shrink(const std::string& replica_name);
  caf::result<release_answer> release(const std::string& slot_name);
  caf::result<pool_view> view();
  [[nodiscard]] std::vector<slot_view> slot_views() const;
  caf::result<log_answer> read_log(log_query& wanted);
  [[nodiscard]] capacity_view capacity() const;
  void exited(process_exit& end);
  void slot_moved(slot_report& report);

  // -- messages about losses ------------------------------------------------

  void retry(std::uint64_t slot, std::uint64_t epoch);

  // -- what an earlier router left: see supervisor_adoption.cpp --------------

  void take_back(const fleet_plan& plan);
  void adopt(std::size_t index, slot_record found, std::chrono::nanoseconds age);
  void keep_undeclared(slot_record kept, std::chrono::nanoseconds age);
  void block_neighbours(const slot_record& r);
  void block(std::size_t index, std::chrono::nanoseconds since);
  [[nodiscard]] bool is_blocked(std::size_t index) const;
  void release_blocked(std::size_t index);
  void looked_for(std::size_t index);
  void top_up();
  void unblock(const std::string& name);
  caf::result<release_answer> release_undeclared(const std::string& name);
  void undeclared_released(const std::string& name);
  void journal_lost();
  void add_undeclared(capacity_view& to) const;

  // -- messages about the end -----------------------------------------------

  caf::result<void> shutdown();
  caf::result<void> shutdown_now();
  void turns_over();

  // -- the rest -------------------------------------------------------------

  void add(replica_spec spec);
  void watch(instance_id id, member& m);
  void add_slots(const fleet_plan& plan);
  void spawn_slot(std::size_t index, slot_setup setup);
  void take(std::size_t index);
  void launch(std::size_t index);
  [[nodiscard]] bool slot_died(const caf::down_msg& death);
  [[nodiscard]] grow_answer launched(const slot_member& s) const;
  void answer_settled(std::size_t index, bool free);
  void answer_released(std::size_t index);
  [[nodiscard]] shrink_answer settled(std::size_t index, bool free) const;
  void follow(std::size_t index, const slot_report& report);
  void phase_changed(std::size_t index, const slot_report& report);
  void ended(std::size_t index, const slot_report& report);
  void await_replacement(std::size_t index);
  void abandon(std::size_t index);
  void retire_for_good(std::size_t index);
  bool cancel_wait(std::size_t index);
  void say_cancelled(std::size_t index);
  void hide(std::size_t index);
  void arm(std::size_t index);
  void close();
  caf::result<void> closed();
  void close_if_done();
  [[nodiscard]] std::chrono::nanoseconds now() const;

  pointer self_;
  routing_settings settings_;
  launch_settings launch_;
  router_actor router_;
  prober_actor prober_;
  commander_actor commander_;
  journal_actor journal_;
  std::function<std::string()> mint_instance_;
  logger* log_ = nullptr;

  std::map<instance_id, member> members_;
  std::unordered_set<std::string> static_names_;
  std::uint64_t last_instance_ = 0;

  std::vector<slot_member> slots_;
  std::unordered_map<caf::actor_addr, std::size_t> slot_of_;
  pool_table pool_;

  std::set<std::size_t> looked_for_;  // recorded slots that nobody has looked at yet
  std::map<std::string, undeclared_slot> undeclared_;
  // Slot to who may hold its devices, and where that was recorded.
  std::map<std::size_t, std::map<std::string, std::string>> blockers_;
  std::set<std::size_t> blocked_;  // those of them that are kept back for nothing else

  std::map<std::uint64_t, caf::typed_response_promise<pool_view>> views_;  // being put together
  std::uint64_t last_view_ = 0;

  bool closing_ = false;
  bool turns_over_ = false;  // or no longer waited for
  std::vector<caf::response_promise> closed_to_;
};

/// Joins the static replicas to the router in their order and has each probed, then launches the
/// initial replicas. `log` outlives the actor.
supervisor_actor::behavior_type supervisor(supervisor_state::pointer self, const fleet_plan& plan,
                                           const router_actor& router, logger* log);

}  // namespace fleet
