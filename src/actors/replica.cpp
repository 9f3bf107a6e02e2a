// SPDX-License-Identifier: MIT
#include "replica.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace fleet {

namespace {

using namespace std::chrono_literals;

// The prober keeps its own limit; this much later it is taken for dead.
constexpr std::chrono::nanoseconds prober_grace = 2s;

// How soon after a turn could not connect the replica is asked again, unless it is due anyway.
constexpr std::chrono::nanoseconds second_look = 1s;

}  // namespace

replica_actor::behavior_type replica(replica_state::pointer self, replica_setup setup) {
  return self->state.start(std::move(setup));
}

replica_actor::behavior_type replica_state::start(replica_setup setup) {
  setup_ = std::move(setup);
  health_ = replica_health(setup_.known);
  probe();
  return {
      [this](nudge_atom) { nudge(); },
      [this](lost_atom, std::string& reason) { lost(reason); },
      [this](exited_atom, std::string& reason) { exited(reason); },
      [this](tick_atom, std::uint64_t epoch) { tick(epoch); },
  };
}

void replica_state::nudge() {
  if (probing_)
    overdue_ = true;
  else
    probe();
}

void replica_state::lost(std::string& reason) {
  outdated_ = serial_;
  if (health_.lost(std::move(reason)))
    report(true);
  // Never put off, so that a stream of failing turns cannot keep a probe away.
  const auto soon = now() + std::min(second_look, setup_.settings.health_interval);
  if (soon < due_)
    arm(soon);
}

void replica_state::exited(std::string& reason) {
  gone_ = true;
  if (health_.lost(std::move(reason)))
    report(true);
}

void replica_state::tick(std::uint64_t epoch) {
  if (epoch == epoch_)
    nudge();
}

void replica_state::probe() {
  probing_ = true;
  overdue_ = false;
  ++serial_;
  arm(now() + setup_.settings.health_interval);
  const caf::timespan limit = setup_.settings.connect_timeout;
  self_->request(setup_.prober, limit + prober_grace, probe_atom_v, setup_.spec.where, limit)
      .then([this, serial = serial_](probe_result& result) { probed(serial, result); },
            [this, serial = serial_](const caf::error& why) {
              prober_failed(why);
              probe_result nothing{.verdict = probe_verdict::inconclusive};
              probed(serial, nothing);
            });
}

void replica_state::probed(std::uint64_t serial, probe_result& result) {
  probing_ = false;
  const bool first = !std::exchange(probed_once_, true);
  const bool changed = serial > outdated_ && judge(result);
  if (changed || first)
    report(changed);
  if (overdue_)
    probe();
}

bool replica_state::judge(probe_result& result) {
  if (gone_)
    return false;
  switch (result.verdict) {
    case probe_verdict::good:
      return health_.good_probe();
    case probe_verdict::bad:
    case probe_verdict::silent:
      return health_.bad_probe(std::move(result.reason));
    case probe_verdict::inconclusive:
      return false;
  }
  return false;
}

void replica_state::prober_failed(const caf::error& why) {
  setup_.log->error("prober_failed", {{"replica", setup_.spec.name}, {"reason", to_string(why)}});
}

void replica_state::report(bool changed) {
  if (changed) {
    const log_field who{"replica", setup_.spec.name};
    const log_field what{"phase", to_string(health_.now())};
    if (health_.now() == phase::ready)
      setup_.log->info("replica_phase", {who, what});
    else
      setup_.log->warn("replica_phase", {who, what, {"reason", health_.reason()}});
  }
  for (const auto& listener : setup_.listeners)
    self_->send(listener, phase_atom_v,
                phase_report{.instance = setup_.instance,
                             .now = health_.now(),
                             .probed = probed_once_,
                             .reason = health_.reason()});
}

void replica_state::arm(time_point due) {
  due_ = due;
  self_->delayed_send(self_, due - now(), tick_atom_v, ++epoch_);
}

replica_state::time_point replica_state::now() const {
  return self_->clock().now();
}

}  // namespace fleet
