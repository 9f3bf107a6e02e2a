// SPDX-License-Identifier: MIT
// Where turns may go, as probes and turns tell it.
#include "sim/world/judge.hpp"

#include <algorithm>

namespace fleet::sim {

void judge::probed(moment asked, moment now, std::uint16_t port, probe_verdict verdict,
                   bool connected) {
  auto* f = by_port(port);
  if (f == nullptr)
    return;
  const bool refuses_launch = connected || verdict == probe_verdict::inconclusive;
  if (refuses_launch && f->relaunch_due && asked >= *f->relaunch_due)
    attempt_failed(now, *f);
  if (verdict == probe_verdict::inconclusive)
    return;
  if (f->said_gone && verdict == probe_verdict::silent && !connected && asked >= *f->said_gone)
    confirmed(now, *f);
  if (verdict != probe_verdict::good) {
    f->good_in_row = 0;
    ++f->bad_in_row;
    f->up_since.reset();
    if (f->bad_in_row == 2 && !f->down_since) {
      f->down_since = now;
      end_streak(now, *f);
    }
    return;
  }
  if (f->gone)
    return;
  f->doomed = f->doomed || down_for(now, *f) >= made_of_.launch.replace_after;
  f->bad_in_row = 0;
  f->down_since.reset();
  if (!f->ready_since)
    f->ready_since = now;
  f->was_ready = f->was_ready || !f->leaving_since;
  if (!f->streak_since)
    f->streak_since = now;
  const bool fresh = !f->lost_at || asked > *f->lost_at;
  f->good_in_row = fresh ? f->good_in_row + 1 : 0;
  if (f->lost_at && asked >= *f->lost_at)
    f->lost_at.reset();
  const bool member = is_static(*f) || (f->may_hold && !f->launch_open);
  if (f->good_in_row >= 2 && member && !f->doomed && !f->leaving_since && !f->up_since)
    f->up_since = now;
}

// It is not ready any more.
void judge::end_streak(moment now, facts& f) {
  if (!f.streak_since)
    return;
  const auto lasted = now - *f.streak_since;
  f.stable = f.stable || lasted >= made_of_.launch.stable_after;
  f.streak_since.reset();
}

void judge::routed(moment asked, moment now, instance_id instance, std::uint16_t port) {
  ++in_flight_[instance];
  auto* f = by_port(port);
  if (f == nullptr)
    return;
  const auto told = f->name + ", instance " + std::to_string(instance.value);
  if (instance < f->newest && asked > f->newest_seen)
    blame(now, rules::members_only, told);
  if (f->newest < instance) {
    f->newest = instance;
    f->newest_seen = now;
  }
  const auto before = [=](const std::optional<moment>& x) { return x && *x < asked; };
  if (!f->ready_since)
    blame(now, rules::ready_only, told + " was never ready");
  else if (before(f->down_since))
    blame(now, rules::ready_only, told + " has failed");
  else if (before(f->lost_at) && f->lost_at > f->ready_since)
    blame(now, rules::ready_only, told + " could not be connected to");
  else if (before(f->leaving_since))
    blame(now, rules::ready_only, told + " is draining");
}

void judge::refused(moment asked, moment now, no_route why) {
  if (why != no_route::no_replica)
    return;
  const auto found = std::find_if(facts_.begin(), facts_.end(), [&](const facts& f) {
    return f.up_since && *f.up_since < asked;
  });
  if (found != facts_.end())
    blame(now, rules::use_ready, found->name);
}

void judge::unreachable(moment now, std::uint16_t port) {
  if (auto* f = by_port(port))
    leaves_rotation(now, *f);
}

void judge::end_told(moment now, const std::string& slot, const std::string& instance) {
  if (auto& f = at(slot); f.instance == instance && f.ready_since) {
    f.end_heard = true;
    leaves_rotation(now, f);
  }
}

void judge::nothing_left(moment now, const std::string& slot, const std::string& instance) {
  if (auto& f = at(slot); f.instance == instance && f.end_heard) {
    f.gone = true;
    leaves_rotation(now, f);
  }
}

// One that is out of rotation already does not begin to be so.
void judge::leaves_rotation(moment now, facts& f) {
  if (!f.lost_at && !f.down_since) {
    f.lost_at = now;
    end_streak(now, f);
  }
  f.up_since.reset();
  f.good_in_row = 0;
}

}  // namespace fleet::sim
