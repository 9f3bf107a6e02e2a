// SPDX-License-Identifier: MIT
// How a slot takes back what an earlier router left on it: see slot.cpp for the rest. Contract
// section 8: no answer proves nothing, for a model that loads is silent, too.
#include "slot.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <utility>

namespace fleet {

namespace {

constexpr const char* unreachable = "unreachable-at-startup";

}  // namespace

void slot_state::adopt(instance_id id, slot_record& found, std::chrono::nanoseconds age) {
  if (!take(id, std::move(found.process)))
    return;
  adopted_ = true;
  reason_ = std::move(found.reason);
  reason_since_ = now() - age;
  if (reason_.empty() || reason_ == unreachable)
    return probe([this](const probe_result& answer) { looked_for(answer); });
  failure_ = std::move(found.detail);
  setup_.log->warn("slot_reserved", {{"slot", setup_.slot.name},
                                     {"instance", process_.instance},
                                     {"reason", reason_},
                                     {"detail", failure_}});
  advance(slot_stage::unconfirmed);
}

void slot_state::looked_for(const probe_result& found) {
  if (answered(found))
    return take_over(found.verdict == probe_verdict::good);
  be_held_for(unreachable);
  failure_ = "no answer from " + authority(where()) + ": " + what_answers(found);
  setup_.log->warn(
      "replica_unreachable",
      {{"slot", setup_.slot.name}, {"instance", process_.instance}, {"reason", failure_}});
  record(reason_, [this](const std::string& /*why_not*/) {
    if (advance(slot_stage::unconfirmed))
      arm(setup_.routing.health_interval);
  });
}

// Whatever answers there now was launched there: it only had to load, or to be reached again. One
// that is not wanted any more is adopted to be stopped.
void slot_state::look_again() {
  if (reason_ != unreachable)
    return;
  probe([this](const probe_result& found) {
    if (answered(found))
      take_over(found.verdict == probe_verdict::good);
    else
      arm(setup_.routing.health_interval);
  });
}

void slot_state::take_over(bool ready) {
  failure_.clear();
  if (!std::exchange(reason_, {}).empty())
    record_process();
  deadline_ = now() + setup_.launch.launch_timeout;
  load(ready ? phase::ready : phase::starting);
  if (!ready)
    return;
  const phase_report report{.instance = id_, .now = phase::ready, .probed = true};
  self_->send(setup_.router, phase_atom_v, report);
  hear(report);
}

}  // namespace fleet
