// SPDX-License-Identifier: MIT
#include "sim/world/operators.hpp"

#include <utility>

namespace fleet::sim {

const std::string& operators::any_slot() {
  return world_.luck.pick(world_.made_of.slots).name;
}

void operators::meddle() {
  if (!world_.router)
    return;
  auto& luck = world_.luck;
  const auto what = luck.below(100);
  const auto times = luck.percent(25) ? luck.between(2, 3) : 1;
  const auto slot = any_slot();
  for (std::size_t i = 0; i < times; ++i) {
    if (what < 30)
      grow("");
    else if (what < 50)
      grow(slot);
    else if (what < 75)
      shrink(slot);
    else
      release(slot, what < 90);
  }
}

void operators::grow(const std::string& slot) {
  world_.note("grow", slot);
  auto& r = *world_.router;
  if (world_.harm == sabotage::secret_operator)
    return r.grow(slot, [](const grow_answer*) {});
  const auto call = world_.judge.asked(world_.now, judge::call::grow, slot);
  r.grow(slot, [this, call](const grow_answer* x) {
    world_.judge.answered(call);
    world_.dirty = true;
    if (x == nullptr)
      return world_.judge.blame(world_.now, rules::one_answer, "a grow met an error");
    world_.note("grow answered", x->replica.name, to_string(x->outcome));
    world_.judge.grown(world_.now, *x);
  });
}

void operators::shrink(const std::string& slot) {
  world_.note("shrink", slot);
  auto& r = *world_.router;
  const auto call = world_.judge.asked(world_.now, judge::call::shrink, slot);
  world_.judge.shrinks(world_.now, slot);
  r.shrink(slot, [this, call, slot](const shrink_answer* x) {
    world_.judge.answered(call);
    world_.dirty = true;
    if (x == nullptr)
      return world_.judge.blame(world_.now, rules::one_answer, "a shrink met an error");
    world_.note("shrink answered", slot, to_string(x->outcome));
    world_.judge.shrunk(slot, x->outcome);
  });
}

void operators::release(const std::string& slot, bool cleans) {
  if (given_.may_start(slot))
    return;
  const auto there = there_.living_on(slot);
  if (!there.empty() && !(cleans && world_.judge.is_unconfirmed(slot)))
    return;
  for (const auto& x : there)
    there_.end(x, {.signal = 9});
  world_.note("release", slot);
  auto& r = *world_.router;
  const auto call = world_.judge.asked(world_.now, judge::call::release, slot);
  r.release(slot, [this, call, slot](const release_answer* x) {
    world_.judge.answered(call);
    world_.dirty = true;
    if (x == nullptr)
      return world_.judge.blame(world_.now, rules::one_answer, "a release met an error");
    world_.note("release answered", slot, to_string(x->outcome));
    if (x->outcome == release_outcome::released)
      world_.judge.released(slot);
  });
}

void operators::shut_down(bool hurried, std::function<void()> done) {
  world_.note("shutdown", hurried ? "now" : "");
  auto& r = *world_.router;
  world_.judge.closing(world_.now);
  const auto call = world_.judge.asked(world_.now, judge::call::shutdown, "shutdown");
  const auto then = [this, call, done = std::move(done)](const bool*) {
    world_.judge.answered(call);
    done();
  };
  r.shut_down(hurried, then);
}

}  // namespace fleet::sim
