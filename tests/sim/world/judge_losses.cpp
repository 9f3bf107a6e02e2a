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

bool names(const std::vector<replacing_slot>& list, const std::string& slot) {
  return std::any_of(list.begin(), list.end(),
                     [&](const replacing_slot& x) { return x.slot == slot; });
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
    // One that asks for any slot may have meant this one, or another.
    f.unsure = f.relaunch_due && *f.relaunch_due <= now;
    f.replacement = f.unsure;
    f.losses = f.unsure ? f.losses : 0;
  } else if (f.abandoned && !f.unsure) {
    blame(now, rules::waits, f.name + ": launched although abandoned");
  } else if (f.relaunch_due) {
    f.replacement = true;
    if (now < *f.relaunch_due && !f.unsure)
      blame(now, rules::waits, f.name + ": relaunched too early");
  } else if (initial_ > 0) {
    --initial_;
  } else if (!f.unsure) {
    blame(now, rules::waits, f.name + ": a launch that nobody asked for");
  }
  f.abandoned = false;
  f.relaunch_due.reset();
}

// A replacement came to nothing before its launch command.
void judge::attempt_failed(moment now, facts& f) {
  if (!f.relaunch_due || *f.relaunch_due > now || f.may_hold)
    return;
  // What an operator asked for in the meantime may have failed as well: then nothing follows.
  if (last_grow_ >= f.lost_replica_at) {
    f.unsure = true;
    return;
  }
  f.replacement = true;
  f.wished_away = false;
  f.was_ready = f.stable = false;
  count_loss(now, f);
}

void judge::wrote(moment now, const std::string& slot, bool refused) {
  auto& f = at(slot);
  --f.writes;
  f.looked_for = false;
  if (refused)
    attempt_failed(now, f);
}

// An end that nobody asked for.
void judge::count_loss(moment now, facts& f) {
  f.relaunch_due.reset();
  if (f.wished_away || closing_since_ || (!f.was_ready && !f.replacement))
    return;
  if (f.stable)
    f.losses = 0;
  ++f.losses;
  f.lost_replica_at = now;
  f.abandoned = f.losses >= losses_allowed;
  if (!f.abandoned)
    f.relaunch_due = now + wait_after(f.losses);
}

duration judge::down_for(moment now, const facts& f) {
  auto since = now;
  for (const auto& x : {f.down_since, f.lost_at})
    since = x ? std::min(since, *x) : since;
  return now - since;
}

void judge::judge_stop(moment now, const facts& f) {
  const bool expected = f.wished_away || closing_since_ || !f.ready_since || f.doomed;
  if (!expected && *f.ready_since != now && down_for(now, f) < made_of_.launch.replace_after)
    blame(now, rules::patience, f.name);
}

void judge::look_at_losses(moment now, const pool_view& seen) {
  for (const auto& x : seen.capacity.replacing) {
    const auto& f = at(x.slot);
    if (x.retry_in == 0s || f.unsure)
      continue;
    const auto attempt = static_cast<int>(x.attempt);
    if (!f.relaunch_due || attempt != f.losses)
      blame(now, rules::waits, x.slot + ": waits after " + std::to_string(f.losses) + " losses");
    else if (now + x.retry_in < *f.relaunch_due || x.retry_in > wait_after(f.losses))
      blame(now, rules::waits, x.slot + ": waits too short or too long");
  }
  for (const auto& x : seen.capacity.abandoned) {
    const auto& f = at(x.slot);
    if (!f.abandoned && !f.unsure)
      blame(now, rules::waits,
            x.slot + ": abandoned after " + std::to_string(f.losses) + " losses");
  }
  for (auto& f : facts_) {
    if (!f.relaunch_due || f.writes > 0 || names(seen.capacity.replacing, f.name))
      continue;
    // A launch that an operator asked for ends the wait, whatever comes of it.
    if (last_grow_ >= f.lost_replica_at || f.unsure)
      f.relaunch_due.reset();
    else
      blame(now, rules::waits, f.name + ": lost its replica and gets no other");
  }
}

}  // namespace fleet::sim
