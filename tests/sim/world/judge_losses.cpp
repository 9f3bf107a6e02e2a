// SPDX-License-Identifier: MIT
// When a replica may be replaced, and when another one may be launched in its place.
#include "sim/world/judge.hpp"

#include <algorithm>

namespace fleet::sim {

namespace {

constexpr int losses_allowed = 3;

duration wait_after(int losses) {
  return 10s * (1 << (losses - 1));
}

}  // namespace

bool judge::open(call what, const std::string& slot) const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const auto& x) {
    return x.second.what == what && (x.second.about.empty() || x.second.about == slot);
  });
}

void judge::judge_launch(moment now, facts& f) {
  f.replacement = false;
  if (closing_since_ && *closing_since_ < now) {
    blame(now, rules::waits, f.name + ": a launch during the shutdown");
  } else if (open(call::grow, f.name)) {
    f.losses = 0;
  } else if (f.abandoned) {
    blame(now, rules::waits, f.name + ": launched although abandoned");
  } else if (f.relaunch_due) {
    f.replacement = true;
    if (now < *f.relaunch_due)
      blame(now, rules::waits, f.name + ": relaunched too early");
  } else if (initial_ > 0) {
    --initial_;
  } else {
    blame(now, rules::waits, f.name + ": a launch that nobody asked for");
  }
  f.abandoned = false;
  f.relaunch_due.reset();
}

// An end that nobody asked for.
void judge::count_loss(moment now, facts& f) {
  f.relaunch_due.reset();
  if (f.wished_away || closing_since_ || (!f.was_ready && !f.replacement) || !losses_are_replaced)
    return;
  if (f.stable)
    f.losses = 0;
  ++f.losses;
  f.abandoned = f.losses >= losses_allowed;
  if (!f.abandoned)
    f.relaunch_due = now + wait_after(f.losses);
}

void judge::judge_stop(moment now, const facts& f) {
  if (f.wished_away || closing_since_ || !f.ready_since || *f.ready_since == now)
    return;
  auto since = now;
  for (const auto& x : {f.down_since, f.lost_at})
    since = x ? std::min(since, *x) : since;
  if (now - since < made_of_.launch.replace_after)
    blame(now, rules::patience, f.name);
}

// A replacement that fails before its launch command (its port is taken, the disk is full) is a
// loss that only the router sees.
void judge::look_at_losses(moment now, const pool_view& seen) {
  const auto overdue = [=](const facts& f) { return f.relaunch_due && *f.relaunch_due < now; };
  for (const auto& x : seen.capacity.replacing) {
    auto& f = at(x.slot);
    if (x.retry_in == 0s)
      continue;
    const auto attempt = static_cast<int>(x.attempt);
    if (overdue(f) && attempt > f.losses) {
      f.losses = attempt;
      f.relaunch_due = now + x.retry_in;
    }
    if (!f.relaunch_due || attempt != f.losses)
      blame(now, rules::waits, x.slot + ": waits after " + std::to_string(f.losses) + " losses");
    else if (now + x.retry_in < *f.relaunch_due || x.retry_in > wait_after(f.losses))
      blame(now, rules::waits, x.slot + ": waits too short or too long");
  }
  for (const auto& x : seen.capacity.abandoned) {
    auto& f = at(x.slot);
    if (overdue(f)) {
      f.abandoned = true;
      f.relaunch_due.reset();
    }
    if (!f.abandoned)
      blame(now, rules::waits,
            x.slot + ": abandoned after " + std::to_string(f.losses) + " losses");
  }
}

}  // namespace fleet::sim
