// SPDX-License-Identifier: MIT
#include "slot.hpp"

#include "replica.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// The prober keeps its own limit; this much later it is taken for dead.
constexpr std::chrono::nanoseconds prober_grace = 2s;

// An actor that dies in its first act must not be started over and over without a pause.
constexpr std::chrono::nanoseconds revival_pause = 1s;

}  // namespace

std::string what_answers(const probe_result& found) {
  if (found.verdict == probe_verdict::good)
    return "answered 200";
  return found.reason.empty() ? to_string(found.verdict) : found.reason;
}

bool answered(const probe_result& found) {
  return found.verdict == probe_verdict::good || found.verdict == probe_verdict::bad;
}

slot_actor::behavior_type slot(slot_state::pointer self, const slot_setup& setup) {
  return self->state.start(setup);
}

slot_actor::behavior_type slot_state::start(slot_setup setup) {
  setup_ = std::move(setup);
  life_ = slot_life(setup_.known);
  self_->set_down_handler([this](const caf::down_msg& death) { actor_died(death); });
  self_->monitor(setup_.commander);
  if (setup_.journal)
    self_->monitor(setup_.journal);
  return {
      [this](launch_atom, instance_id id, std::string& process) { launch(id, process); },
      [this](adopt_atom, instance_id id, slot_record& found, caf::timespan age) {
        adopt(id, found, age);
      },
      [this](stop_atom, instance_id id) { stop(id); },
      [this](hurry_atom, instance_id id) { hurry(id); },
      [this](release_atom) { release(); },
      [this](log_atom, const log_query& wanted) { return read_log(wanted); },
      [this](tick_atom, std::uint64_t step) { tick(step); },
      [this](revive_atom, instance_id id) { revive(id); },
      [this](phase_atom, const phase_report& report) { hear(report); },
      [this](lost_atom, instance_id id, std::string& reason) { lost(id, reason); },
      [this](exited_atom, const process_exit& end) { exited(end); },
  };
}

// -- the rest ---------------------------------------------------------------

caf::result<log_answer> slot_state::read_log(const log_query& wanted) {
  const auto begin = wanted.this_launch ? std::max(wanted.begin, process_.log_begin) : wanted.begin;
  return self_->delegate(setup_.commander, log_atom_v,
                         log_order{setup_.host, setup_.slot, begin, wanted.bytes});
}

bool slot_state::take(instance_id id, process_ref process) {
  if (life_.now() == slot_stage::free) {
    id_ = id;
    process_ = std::move(process);
    failure_.clear();
    reason_.clear();
    adopted_ = unwanted_ = hurried_ = false;
  }
  return advance(slot_stage::reserved);
}

void slot_state::be_held_for(std::string reason) {
  if (reason_ != reason)
    reason_since_ = now();
  reason_ = std::move(reason);
}

bool slot_state::advance(slot_stage to) {
  const auto from = life_.now();
  if (!life_.move(to)) {
    setup_.log->error(
        "slot_move_refused",
        {{"slot", setup_.slot.name}, {"from", to_string(from)}, {"to", to_string(to)}});
    return false;
  }
  ++step_;
  const bool unconfirmed = to == slot_stage::unconfirmed;
  const bool told = unconfirmed || to == slot_stage::free;
  self_->send(setup_.listener, slot_atom_v,
              slot_report{.slot = setup_.index,
                          .instance = id_,
                          .now = to,
                          .health = known_,
                          .reason = unconfirmed ? reason_ : "",
                          .detail = told ? failure_ : "",
                          .age = unconfirmed ? now() - reason_since_ : 0ns});
  return true;
}

void slot_state::arm(std::chrono::nanoseconds delay) {
  self_->delayed_send(self_, delay, tick_atom_v, step_);
}

void slot_state::tick(std::uint64_t step) {
  if (step != step_)
    return;
  if (life_.now() == slot_stage::loading)
    load_timer();
  else if (life_.now() == slot_stage::draining)
    stop_process();
  else if (life_.now() == slot_stage::confirming)
    probe([this](const probe_result& found) { address_probed(found); });
  else if (life_.now() == slot_stage::unconfirmed)
    look_again();
}

slot_state::time_point slot_state::now() const {
  return self_->clock().now();
}

void slot_state::probe(std::function<void(const probe_result&)> then) {
  const caf::timespan limit = setup_.routing.connect_timeout;
  self_->request(setup_.prober, limit + prober_grace, probe_atom_v, where(), limit)
      .then(
          [this, step = step_, then](const probe_result& found) {
            if (step == step_)
              then(found);
          },
          [this, step = step_, then](const caf::error& why) {
            if (step == step_)
              then({.verdict = probe_verdict::inconclusive, .reason = to_string(why)});
          });
}

void slot_state::end_watch() {
  if (replica_)
    caf::anon_send_exit(replica_, caf::exit_reason::user_shutdown);
  replica_ = nullptr;
}

void slot_state::actor_died(const caf::down_msg& death) {
  if (death.source == setup_.commander.address() && death.reason != caf::exit_reason::user_shutdown)
    commander_lost(to_string(death.reason));
  if (setup_.journal && death.source == setup_.journal.address() && after_record_)
    recorded(step_, "the journal ended: " + to_string(death.reason));
  if (!replica_ || replica_.address() != death.source)
    return;
  setup_.log->error("actor_died", {{"actor", replica_state::name},
                                   {"replica", setup_.slot.name},
                                   {"reason", to_string(death.reason)}});
  replica_ = nullptr;
  self_->delayed_send(self_, revival_pause, revive_atom_v, id_);
}

// A question that it had read already dies unanswered with it. What that was about may have
// happened, or not.
void slot_state::commander_lost(const std::string& why) {
  const auto reason = "the commander ended: " + why;
  if (life_.now() == slot_stage::launching) {
    launch_result unknown{.process = process_, .reason = reason, .may_be_running = true};
    launched(unknown);
  } else if (life_.now() == slot_stage::stopping) {
    stopped({.reason = reason});
  } else {
    looking_.reset();
  }
}

void slot_state::revive(instance_id id) {
  const auto stage = life_.now();
  const bool watched = stage == slot_stage::loading || stage == slot_stage::serving;
  if (id == id_ && watched && !replica_)
    watch();
}

}  // namespace fleet
