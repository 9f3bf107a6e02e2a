// SPDX-License-Identifier: MIT
#include "sim/world/disk.hpp"

#include <utility>

namespace fleet::sim {

std::vector<slot_record> disk::records() const {
  std::vector<slot_record> all;
  for (const auto& [_, x] : file_)
    all.push_back(x);
  return all;
}

void disk::enqueue(operation what) {
  waiting_.push_back(std::move(what));
  if (waiting_.size() == 1)
    begin();
}

void disk::begin() {
  auto& luck = world_.luck;
  const bool slow = slow_until_ > world_.now;
  const auto delay = slow ? luck.between(1s, 20s) : luck.between(100us, 20ms);
  world_.after(delay, [this, serial = ++serial_] {
    if (serial == serial_)
      end();
  });
}

void disk::end() {
  const auto done = std::move(waiting_.front());
  waiting_.pop_front();
  const bool full = full_until_ > world_.now;
  world_.note(full          ? "disk full"
              : done.erases ? "erased"
                            : "recorded",
              done.slot, done.what.process.instance + " " + done.what.reason);
  if (full && done.erases)
    refused_.insert(done.slot);
  else if (!full)
    apply(done);
  world_.answer_after(world_.luck.between(0us, 2ms), [=, this] {
    world_.dirty = true;
    world_.judge.wrote(world_.now, done.slot, full && !done.erases);
    world_.router->written(done.q, full ? "no space left on device" : "");
  });
  if (!waiting_.empty())
    begin();
}

void disk::apply(const operation& what) {
  world_.dirty = true;
  refused_.erase(what.slot);
  if (what.erases) {
    if (world_.harm != sabotage::sticky_disk || !world_.calm)
      file_.erase(what.slot);
  } else if (world_.harm != sabotage::forgetful_disk) {
    const auto now = calendar(world_.now);
    auto& old = file_[what.slot];
    auto fresh = what.what;
    fresh.launched_at =
        old.process.instance == fresh.process.instance && old.launched_at != wall_time{}
            ? old.launched_at
            : now;
    fresh.since = fresh.reason.empty() ? wall_time{} : old.reason == fresh.reason ? old.since : now;
    old = std::move(fresh);
  }
  world_.judge.disk_changed(world_.now, what.slot, file_);
}

void disk::crash() {
  if (!waiting_.empty() && full_until_ <= world_.now && world_.luck.percent(50)) {
    world_.note("written all the same", waiting_.front().slot);
    apply(waiting_.front());
  }
  waiting_.clear();
  ++serial_;
}

}  // namespace fleet::sim
