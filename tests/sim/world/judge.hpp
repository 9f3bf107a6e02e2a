// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/shape.hpp"

#include "fleet/actors/messages.hpp"
#include "fleet/core/admin.hpp"
#include "fleet/core/record.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fleet::sim {

/// The first rule that was broken.
struct violation {
  moment at{0};
  std::string rule;  ///< one of judge::rules
  std::string detail;
};

/// The rules themselves, as they are printed.
namespace rules {
constexpr const char* one_process = "never two live processes of replicas on one device";
constexpr const char* held_device = "never a launch on a device that may be held";
constexpr const char* listed = "every live process is listed by the router or on the disk";
constexpr const char* record_first = "no launch command without a record on the disk";
constexpr const char* counts = "outstanding counts are exact and return to zero";
constexpr const char* waits = "losses lead to waits of 10 and 20 s and to an abandoned slot";
constexpr const char* one_answer = "each admin call gets exactly one answer";
constexpr const char* members_only = "a route never names a replica that left";
constexpr const char* ready_only = "no turn goes to a starting, failed or draining replica";
constexpr const char* use_ready = "no turn is refused while a replica is ready";
constexpr const char* patience = "no replica is replaced before it was unroutable long enough";
constexpr const char* rest = "in the end every slot serves, is free, abandoned or unconfirmed";
constexpr const char* true_reason = "a slot is unconfirmed only for a true reason";
constexpr const char* clean_end = "an orderly shutdown leaves nothing behind";
constexpr const char* no_defect = "no actor dies or fails by itself";
}  // namespace rules

/// Knows what really happened and what follows from it, by the contract and nothing else: it sees
/// what goes through the router's doors, never inside. Time-dependent rules are strict: two things
/// of one moment may have come in either order.
class judge {
 public:
  explicit judge(const shape& made_of);

  [[nodiscard]] const std::optional<violation>& found() const { return found_; }
  void blame(moment now, const char* rule, std::string detail);
  /// For a planted fault that this rule would see before the one it is meant for.
  void overlook(const char* rule) { overlooked_ = rule; }

  // -- the router comes and goes --------------------------------------------

  using state_file = std::map<std::string, slot_record>;

  /// What the disk holds at any time.
  void watch_disk(const state_file& file) { file_ = &file; }

  void life_begins(moment now);
  void life_ends();
  void closing(moment now);

  // -- machines and commands ------------------------------------------------

  void process_started(moment now, const std::string& slot, const std::string& instance);
  void process_ended(const std::string& slot, const std::string& instance);
  void launch_ordered(moment now, const std::string& slot, const std::string& instance);
  void launch_answered(moment now, const launch_result& result);
  void stop_ordered(moment now, const std::string& slot, const std::string& instance);
  void stop_answered(moment now, const std::string& instance, bool stopped);
  /// The address of that one is silent after its stop.
  void seen_silent(moment now, const std::string& instance) {
    confirmed(now, facts_[instances_.at(instance)]);
  }
  void writes(const std::string& slot) { ++at(slot).writes; }
  void wrote(moment now, const std::string& slot, bool refused);
  void disk_changed(moment now, const std::string& slot, const state_file& file);

  // -- network and turns ----------------------------------------------------

  void probed(moment asked, moment now, std::uint16_t port, probe_verdict verdict, bool connected);
  void routed(moment asked, moment now, instance_id instance, std::uint16_t port);
  /// The router hears that this child has ended and not well.
  void end_told(moment now, const std::string& slot, const std::string& instance);
  /// And then, that no process of it is left.
  void nothing_left(moment now, const std::string& slot, const std::string& instance);
  void refused(moment asked, moment now, no_route why);
  void unreachable(moment now, std::uint16_t port);
  void turn_ended(instance_id instance) { --in_flight_[instance]; }

  // -- operators ------------------------------------------------------------

  enum class call : std::uint8_t { grow, shrink, release, shutdown };
  std::uint64_t asked(moment now, call what, const std::string& about);
  void answered(std::uint64_t id);
  void shrinks(moment now, const std::string& slot);
  void shrunk(const std::string& slot, shrink_outcome how);
  void grown(moment now, const grow_answer& answer);
  void released(const std::string& slot);

  // -- the whole ------------------------------------------------------------

  /// While no message is under way.
  void look(moment now, const pool_view& seen);
  /// Whether everything has come to rest; else what has not.
  [[nodiscard]] std::optional<std::string> unrest(const pool_view& seen) const;
  void shut_down(moment now, const state_file& file);

  /// Whether its devices may be held as far as anybody could know.
  [[nodiscard]] bool may_hold(const std::string& slot) const { return at(slot).may_hold; }

  /// As the router showed it the last time.
  [[nodiscard]] bool is_unconfirmed(const std::string& slot) const {
    return unconfirmed_.contains(slot);
  }

 private:
  // What is known of one slot or static replica.
  struct facts {
    std::string name;
    std::set<std::string> live;  // processes of ours
    std::string instance;        // of the last launch command
    bool may_hold = false;
    bool inherited = false;    // on the disk when this life began
    bool looked_for = false;   // and nothing about it was written since
    bool listed = false;       // shown by the router in this life
    int writes = 0;            // to the disk, not answered yet
    bool launch_open = false;  // commands that are out
    bool stop_open = false;
    std::optional<moment> said_gone;  // since then the address has to go silent

    // The life of the replica there as probes and turns tell it.
    instance_id newest;
    moment newest_seen{0};
    std::optional<moment> ready_since;  // by at least one good probe
    std::optional<moment> down_since;   // unroutable for certain
    std::optional<moment> up_since;     // routable for certain
    std::optional<moment> lost_at;      // by a turn
    std::optional<moment> leaving_since;
    bool end_heard = false;              // while it served
    bool gone = false;                   // what answers there is a stranger
    std::optional<moment> streak_since;  // ready without a break
    int good_in_row = 0;
    int bad_in_row = 0;

    // Losses.
    bool replacement = false;  // launched by the router itself
    bool wished_away = false;  // an operator asked for its end
    bool unwanted = false;     // already while it was looked for: that wish lasts
    bool was_ready = false;
    bool doomed = false;  // it was down for too long once; that it came back changes nothing
    bool stable = false;  // ready for long enough to forget earlier losses
    int losses = 0;
    std::optional<moment> relaunch_due;
    moment lost_replica_at{0};
    bool abandoned = false;
    bool unsure = false;  // whether an operator or a loss explains its last launch
  };

  struct open_call {
    call what;
    std::string about;
    moment asked;
  };

  [[nodiscard]] facts& at(const std::string& slot) { return facts_[index_.at(slot)]; }
  [[nodiscard]] const facts& at(const std::string& slot) const { return facts_[index_.at(slot)]; }
  [[nodiscard]] facts* by_port(std::uint16_t port);
  [[nodiscard]] bool is_static(const facts& f) const { return !index_.contains(f.name); }
  static void forget_health(facts& f);
  [[nodiscard]] static duration down_for(moment now, const facts& f);
  void leaves_rotation(moment now, facts& f);
  void end_streak(moment now, facts& f);
  void confirmed(moment now, facts& f);
  void judge_launch(moment now, facts& f);
  void judge_stop(moment now, const facts& f);
  void attempt_failed(moment now, facts& f);
  void count_loss(moment now, facts& f);
  [[nodiscard]] bool open(call what, const std::string& slot) const;
  [[nodiscard]] duration slack() const;
  void look_at_calls(moment now);
  void look_at_slots(moment now, const pool_view& seen);
  void look_at_counts(moment now, const pool_view& seen);
  void look_at_losses(moment now, const pool_view& seen);

  const shape& made_of_;
  std::vector<facts> facts_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::uint16_t, std::size_t> ports_;
  std::unordered_map<std::string, std::size_t> instances_;
  std::set<std::size_t> occupied_;  // slots with live processes
  std::unordered_map<instance_id, std::int64_t> in_flight_;
  const state_file* file_ = nullptr;
  std::map<std::uint64_t, open_call> calls_;
  std::uint64_t last_call_ = 0;
  moment last_grow_{-1};
  moment born_{0};
  std::size_t initial_ = 0;  // launches that the start of this life still explains
  std::optional<moment> closing_since_;
  std::set<std::string> unconfirmed_;
  std::string overlooked_;
  std::optional<violation> found_;
};

}  // namespace fleet::sim
