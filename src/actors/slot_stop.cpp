// SPDX-License-Identifier: MIT
// The way down of a slot: see slot.cpp for the rest.
#include "slot.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// How often an address that should go silent is asked.
constexpr std::chrono::nanoseconds silence_poll = 500ms;

std::string seconds(std::chrono::nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::chrono::duration<double>(time).count());
  return text.data();
}

}  // namespace

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
  const bool served = life_.now() == slot_stage::serving;
  if (!advance(slot_stage::draining))
    return;
  if (served) {
    drain_began_ = now();
    setup_.log->info("replica_draining",
                     {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  }
  self_->request(setup_.router, caf::infinite, quiesce_atom_v, id_)
      .then([this, step = step_] { tick(step); },
            [this, step = step_](const caf::error&) { tick(step); });
  // Whichever comes first ends the drain, as if its time were up.
  if (hurried_)
    stop_process();
  else
    arm(setup_.launch.drain_timeout);
}

void slot_state::say_drained() {
  if (!drain_began_)
    return;
  const auto took = now() - *std::exchange(drain_began_, std::nullopt);
  const auto* ended = hurried_                              ? "hurried"
                      : took >= setup_.launch.drain_timeout ? "timeout"
                                                            : "idle";
  setup_.log->info("replica_drained", {{"replica", setup_.slot.name},
                                       {"instance", process_.instance},
                                       {"after", seconds(took)},
                                       {"ended", ended}});
}

void slot_state::stop_process() {
  if (!advance(slot_stage::stopping))
    return;
  say_drained();
  end_watch();
  const auto grace =
      std::chrono::duration_cast<std::chrono::milliseconds>(setup_.launch.stop_grace);
  self_
      ->request(setup_.commander, caf::infinite, stop_atom_v,
                stop_order{setup_.host, setup_.slot, process_, grace})
      .then(
          [this, step = step_](const stop_result& result) {
            if (step == step_)
              stopped(result);
          },
          [this, step = step_](const caf::error& why) {
            if (step == step_)
              commander_lost(to_string(why));
          });
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

// One that accepts connections and says nothing, such as one that hangs in a driver, still holds
// its devices. A probe that this side could not make proves nothing.
void slot_state::address_probed(const probe_result& found) {
  if (found.verdict == probe_verdict::silent && !found.connected)
    gone();
  else if (now() >= deadline_)
    give_up(authority(where()) + ": " + (found.connected ? "still accepts connections: " : "") +
            what_answers(found));
  else
    arm(silence_poll);
}

void slot_state::gone() {
  setup_.log->info("replica_stopped",
                   {{"replica", setup_.slot.name}, {"instance", process_.instance}});
  erase_record();
}

// Its devices are in an unknown state: nothing is launched on them until an operator says so.
void slot_state::give_up(const std::string& why) {
  failure_ = failure_.empty() ? why : failure_ + "; " + why;
  setup_.log->warn("stop_unconfirmed",
                   {{"slot", setup_.slot.name}, {"instance", process_.instance}, {"reason", why}});
  record_unconfirmed();
}

void slot_state::release() {
  if (life_.now() != slot_stage::unconfirmed)
    return;
  setup_.log->warn("slot_released", {{"slot", setup_.slot.name}});
  failure_.clear();
  ++step_;  // it is not looked for any more
  erase_record();
}

}  // namespace fleet
