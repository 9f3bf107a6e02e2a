// SPDX-License-Identifier: MIT
#include "slot.hpp"

#include "replica.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// The prober keeps its own limit; this much later it is taken for dead.
constexpr std::chrono::nanoseconds prober_grace = 2s;

// How often an address that should go silent is asked.
constexpr std::chrono::nanoseconds silence_poll = 500ms;

// An actor that dies in its first act must not be started over and over without a pause.
constexpr std::chrono::nanoseconds revival_pause = 1s;

constexpr const char* stop_unconfirmed = "stop-unconfirmed";

bool answered(const probe_result& found) {
  return found.verdict == probe_verdict::good || found.verdict == probe_verdict::bad;
}

std::string what_answers(const probe_result& found) {
  if (found.verdict == probe_verdict::good)
    return "answered 200";
  return found.reason.empty() ? to_string(found.verdict) : found.reason;
}

}  // namespace

slot_actor::behavior_type slot(slot_state::pointer self, const slot_setup& setup) {
  return self->state.start(setup);
}

slot_actor::behavior_type slot_state::start(slot_setup setup) {
  setup_ = std::move(setup);
  life_ = slot_life(setup_.known);
  self_->set_down_handler([this](const caf::down_msg& death) { actor_died(death); });
  return {
      [this](launch_atom, instance_id id, std::string& process) { launch(id, process); },
      [this](stop_atom, instance_id id) { stop(id); },
      [this](hurry_atom, instance_id id) { hurry(id); },
      [this](release_atom) { release(); },
      [this](tick_atom, std::uint64_t step) { tick(step); },
      [this](revive_atom, instance_id id) { revive(id); },
      [this](phase_atom, const phase_report& report) { hear(report); },
      [this](lost_atom, instance_id id, std::string& reason) { lost(id, reason); },
      [this](exited_atom, const process_exit& end) { exited(end); },
  };
}

// -- the way up -------------------------------------------------------------

void slot_state::launch(instance_id id, std::string& process) {
  if (life_.now() == slot_stage::free) {
    id_ = id;
    process_ = {.instance = std::move(process)};
    failure_.clear();
    unwanted_ = hurried_ = false;
  }
  if (!advance(slot_stage::reserved))
    return;
  probe([this](const probe_result& found) { address_checked(found); });
}

// Whatever accepts a connection there was not launched by this router and is never signalled.
void slot_state::address_checked(const probe_result& found) {
  if (unwanted_)
    launch_failed("not wanted any more");
  else if (answered(found) || found.connected)
    launch_failed("address_in_use: " + authority(where()) + ": " + what_answers(found));
  else if (found.verdict == probe_verdict::inconclusive)
    launch_failed("could not see whether " + authority(where()) + " is in use: " + found.reason);
  else
    return start_process();
  advance(slot_stage::free);
}

void slot_state::start_process() {
  if (!advance(slot_stage::launching))
    return;
  deadline_ = now() + setup_.launch.launch_timeout;
  self_
      ->request(setup_.commander, caf::infinite, launch_atom_v,
                launch_order{setup_.host, setup_.slot, process_.instance})
      .then([this](launch_result& result) { launched(result); },
            [this](const caf::error& why) {
              launch_result unknown{
                  .process = process_, .reason = to_string(why), .may_be_running = true};
              launched(unknown);
            });
}

void slot_state::launched(launch_result& result) {
  process_ = std::move(result.process);
  if (result.started)
    return load();
  launch_failed(std::move(result.reason));
  if (result.may_be_running)
    stop_process();
  else
    advance(slot_stage::free);
}

void slot_state::load() {
  const slot_actor me = self_;
  self_->send(setup_.router, join_atom_v, id_, setup_.spec, setup_.place, lost_listener_actor(me));
  if (!advance(slot_stage::loading))
    return;
  setup_.log->info("replica_launched",
                   {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  known_ = phase::starting;
  watch();
  if (unwanted_)
    retire();
  else
    wait_for_load();
}

void slot_state::watch() {
  const slot_actor me = self_;
  replica_ = self_->spawn<caf::monitored>(
      replica, replica_setup{.instance = id_,
                             .spec = setup_.spec,
                             .known = known_,
                             .settings = setup_.routing,
                             .prober = setup_.prober,
                             .listeners = {setup_.router, phase_listener_actor(me)},
                             .log = setup_.log});
}

// A launch through ssh reports no exit by itself, so it is looked at while it loads.
void slot_state::wait_for_load() {
  const std::chrono::nanoseconds left = deadline_ - now();
  arm(setup_.host.ssh.empty() ? left : std::min(left, setup_.routing.health_interval));
}

void slot_state::load_timer() {
  if (now() >= deadline_) {
    launch_failed("not ready in time");
    retire();
    return;
  }
  // One look at a time: an ssh that hangs must not be joined by another at each tick.
  if (std::exchange(looking_, step_) == step_) {
    wait_for_load();
    return;
  }
  self_
      ->request(setup_.commander, caf::infinite, inspect_atom_v,
                inspect_order{setup_.host, setup_.slot, process_})
      .then([this, step = step_](const inspection& found) { inspected(step, found); },
            [this, step = step_](const caf::error& why) {
              inspected(step, {.reason = to_string(why)});
            });
  wait_for_load();
}

void slot_state::inspected(std::uint64_t step, const inspection& found) {
  if (looking_ == step)
    looking_.reset();
  if (step == step_ && found.known && found.ended)
    ended(found.how, found.log);
}

void slot_state::exited(const process_exit& end) {
  if (life_.now() == slot_stage::loading && end.instance == process_.instance)
    ended(end.how, end.log);
}

// A wrapper may end well and leave the server running.
void slot_state::ended(const exit_status& how, const std::string& log) {
  if (how.good())
    return;
  launch_failed(to_string(how) + (log.empty() ? "" : "; its log ends: " + log));
  retire();
}

void slot_state::launch_failed(std::string reason) {
  failure_ = std::move(reason);
  setup_.log->warn(
      "launch_failed",
      {{"slot", setup_.slot.name}, {"instance", process_.instance}, {"reason", failure_}});
}

void slot_state::hear(const phase_report& report) {
  if (report.instance != id_)
    return;
  known_ = report.now;
  if (known_ == phase::ready && life_.now() == slot_stage::loading)
    advance(slot_stage::serving);
}

void slot_state::lost(instance_id id, std::string& reason) {
  if (id == id_ && replica_)
    self_->send(replica_, lost_atom_v, std::move(reason));
}

// -- the way down -----------------------------------------------------------

void slot_state::stop(instance_id id) {
  if (id != id_)
    return;
  unwanted_ = true;
  if (life_.now() == slot_stage::loading || life_.now() == slot_stage::serving)
    retire();
}

void slot_state::hurry(instance_id id) {
  if (id != id_)
    return;
  hurried_ = true;
  if (life_.now() == slot_stage::draining)
    stop_process();
}

void slot_state::retire() {
  if (!advance(slot_stage::draining))
    return;
  self_->request(setup_.router, caf::infinite, quiesce_atom_v, id_)
      .then([this, step = step_] { tick(step); },
            [this, step = step_](const caf::error&) { tick(step); });
  // Whichever comes first ends the drain, as if its time were up.
  if (hurried_)
    stop_process();
  else
    arm(setup_.launch.drain_timeout);
}

void slot_state::stop_process() {
  if (!advance(slot_stage::stopping))
    return;
  end_watch();
  const auto grace =
      std::chrono::duration_cast<std::chrono::milliseconds>(setup_.launch.stop_grace);
  self_
      ->request(setup_.commander, caf::infinite, stop_atom_v,
                stop_order{setup_.host, setup_.slot, process_, grace})
      .then([this](const stop_result& result) { stopped(result); },
            [this](const caf::error& why) { stopped({.reason = to_string(why)}); });
}

void slot_state::stopped(const stop_result& result) {
  if (!result.stopped) {
    give_up(result.reason);
    return;
  }
  deadline_ = now() + setup_.launch.stop_grace;
  if (advance(slot_stage::confirming))
    probe([this](const probe_result& found) { address_probed(found); });
}

void slot_state::address_probed(const probe_result& found) {
  if (found.verdict == probe_verdict::silent)
    gone();
  else if (now() >= deadline_)
    give_up(authority(where()) + ": " + what_answers(found));
  else
    arm(silence_poll);
}

void slot_state::gone() {
  self_->send(setup_.router, leave_atom_v, id_);
  setup_.log->info("replica_stopped",
                   {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  advance(slot_stage::free);
}

// Its devices are in an unknown state: nothing is launched on them until an operator says so.
void slot_state::give_up(const std::string& why) {
  self_->send(setup_.router, leave_atom_v, id_);
  failure_ = failure_.empty() ? why : failure_ + "; " + why;
  setup_.log->warn("stop_unconfirmed",
                   {{"slot", setup_.slot.name}, {"instance", process_.instance}, {"reason", why}});
  advance(slot_stage::unconfirmed);
}

void slot_state::release() {
  if (life_.now() != slot_stage::unconfirmed)
    return;
  setup_.log->warn("slot_released", {{"slot", setup_.slot.name}});
  failure_.clear();
  advance(slot_stage::free);
}

// -- the rest ---------------------------------------------------------------

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
                          .reason = unconfirmed ? stop_unconfirmed : "",
                          .detail = told ? failure_ : ""});
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
}

slot_state::time_point slot_state::now() const {
  return self_->clock().now();
}

template <class Then>
void slot_state::probe(Then then) {
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
  if (!replica_ || replica_.address() != death.source)
    return;
  setup_.log->error("actor_died", {{"actor", replica_state::name},
                                   {"replica", setup_.slot.name},
                                   {"reason", to_string(death.reason)}});
  replica_ = nullptr;
  self_->delayed_send(self_, revival_pause, revive_atom_v, id_);
}

void slot_state::revive(instance_id id) {
  const auto stage = life_.now();
  const bool watched = stage == slot_stage::loading || stage == slot_stage::serving;
  if (id == id_ && watched && !replica_)
    watch();
}

}  // namespace fleet
