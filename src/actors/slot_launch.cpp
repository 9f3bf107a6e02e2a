// SPDX-License-Identifier: MIT
// The way up of a slot: see slot.cpp for the rest.
#include "replica.hpp"
#include "slot.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string_view>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// How long a launch that is over waits for the end of its log: its host may be dead.
constexpr std::chrono::nanoseconds last_look = 5s;

std::string seconds(std::chrono::nanoseconds time) {
  std::ostringstream text;
  text << std::chrono::duration<double>(time).count() << " s";
  return text.str();
}

std::string its_end(std::string_view log) {
  const auto end = log.find_last_not_of(" \t\n");
  return end == std::string_view::npos ? ""
                                       : "; its log ends: " + std::string(log.substr(0, end + 1));
}

}  // namespace

void slot_state::launch(instance_id id, std::string& process) {
  if (!take(id, {.instance = std::move(process)}))
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
    return record_intent();
  advance(slot_stage::free);
}

void slot_state::start_process() {
  if (!advance(slot_stage::launching))
    return;
  deadline_ = now() + setup_.launch.launch_timeout;
  setup_.log->info("replica_launching",
                   {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  self_
      ->request(setup_.commander, caf::infinite, launch_atom_v,
                launch_order{setup_.host, setup_.slot, process_.instance})
      .then(
          [this, step = step_](launch_result& result) {
            if (step == step_)
              launched(result);
          },
          [this, step = step_](const caf::error& why) {
            if (step == step_)
              commander_lost(to_string(why));
          });
}

void slot_state::launched(launch_result& result) {
  process_ = std::move(result.process);
  if (result.started) {
    record_process();
    return load(phase::starting);
  }
  launch_failed(std::move(result.reason));
  if (result.may_be_running)
    stop_process();
  else
    erase_record();
}

void slot_state::load(phase known) {
  const slot_actor me = self_;
  self_->send(setup_.router, leave_atom_v, std::exchange(shown_, id_));
  self_->send(setup_.router, join_atom_v, id_, setup_.spec, setup_.place, lost_listener_actor(me));
  if (!advance(slot_stage::loading))
    return;
  setup_.log->info(adopted_ ? "replica_adopted" : "replica_launched",
                   {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  known_ = known;
  not_ready_.clear();
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

// What was launched through ssh, or by an earlier router, reports no exit by itself, so it is
// looked at while it loads.
void slot_state::wait_for_load() {
  const std::chrono::nanoseconds left = deadline_ - now();
  arm(setup_.host.ssh.empty() && !adopted_ ? left : std::min(left, setup_.routing.health_interval));
}

void slot_state::load_timer() {
  if (now() >= deadline_ + last_look)
    return too_late({});
  // One look at a time: an ssh that hangs must not be joined by another at each tick.
  if (std::exchange(looking_, step_) != step_)
    look();
  if (now() >= deadline_)
    arm(last_look);
  else
    wait_for_load();
}

void slot_state::look() {
  self_
      ->request(setup_.commander, caf::infinite, inspect_atom_v,
                inspect_order{setup_.host, setup_.slot, process_})
      .then([this, step = step_](const inspection& found) { inspected(step, found); },
            [this, step = step_](const caf::error& why) {
              inspected(step, {.reason = to_string(why)});
            });
}

void slot_state::inspected(std::uint64_t step, const inspection& found) {
  if (looking_ == step)
    looking_.reset();
  if (step != step_)
    return;
  if (found.known && found.ended && !found.how.good())
    ended(found.how, found.log);
  else if (found.known && !found.alive && !found.ended && setup_.host.stop_command.empty())
    vanished(found.log);
  else if (now() >= deadline_)
    too_late(found.log);
}

void slot_state::too_late(const std::string& log) {
  launch_failed("not ready within " + seconds(setup_.launch.launch_timeout) +
                (not_ready_.empty() ? "" : "; last probe: " + not_ready_) + its_end(log));
  retire();
}

// One that served leaves rotation at once. What ended may have been a wrapper, so probes go on,
// unless nothing of the launch is left: then it is a stranger who answers them.
void slot_state::exited(const process_exit& end) {
  if (end.instance != process_.instance)
    return;
  if (life_.now() == slot_stage::loading)
    ended(end.how, end.log);
  else if (life_.now() == slot_stage::serving && !end.how.good())
    died(end);
}

void slot_state::died(const process_exit& end) {
  auto reason = to_string(end.how);
  auto story = reason + its_end(end.log);
  setup_.log->warn(
      "replica_exited",
      {{"slot", setup_.slot.name}, {"instance", process_.instance}, {"reason", story}});
  tell_health(phase::failed, reason, std::move(story));
  if (setup_.host.stop_command.empty())
    see_what_is_left(reason);
  lost(id_, reason);
}

void slot_state::see_what_is_left(std::string reason) {
  self_
      ->request(setup_.commander, caf::infinite, inspect_atom_v,
                inspect_order{setup_.host, setup_.slot, process_})
      .then(
          [this, step = step_, reason = std::move(reason)](const inspection& found) {
            if (step == step_ && found.known && !found.alive && replica_)
              self_->send(replica_, exited_atom_v, reason);
          },
          [](const caf::error& /*why*/) {});  // probes go on telling
}

// A wrapper may end well and leave the server running.
void slot_state::ended(const exit_status& how, const std::string& log) {
  if (how.good())
    return;
  launch_failed(to_string(how) + its_end(log));
  retire();
}

// Nobody saw how it ended, such as one that an earlier router launched here. Where a command of the
// operator's stops it, as with a container, its processes may be out of sight.
void slot_state::vanished(const std::string& log) {
  launch_failed("no process of it is left" + its_end(log));
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
  not_ready_ = report.reason;
  if (life_.now() == slot_stage::serving)
    tell_health(known_, report.reason, {});
  else if (known_ == phase::ready && life_.now() == slot_stage::loading)
    advance(slot_stage::serving);
}

void slot_state::tell_health(phase health, std::string reason, std::string detail) {
  self_->send(setup_.listener, slot_atom_v,
              slot_report{.slot = setup_.index,
                          .instance = id_,
                          .now = life_.now(),
                          .health = health,
                          .reason = std::move(reason),
                          .detail = std::move(detail)});
}

void slot_state::lost(instance_id id, std::string& reason) {
  if (id == id_ && replica_)
    self_->send(replica_, lost_atom_v, std::move(reason));
}

}  // namespace fleet
