// SPDX-License-Identifier: MIT
// The story of one run: see world.cpp for the world.
#include "sim/world/world.hpp"

#include <algorithm>
#include <utility>

namespace fleet::sim {

namespace {

constexpr duration longest_unrest = 3h;

}  // namespace

outcome_of_run world::run() {
  auto& s = shared_;
  start_router();
  turns_.begin();
  faults_.plan(s.made_of.faults, s.made_of.harmed);
  play(s.made_of.harmed);

  s.calm = true;
  there_.heal();
  given_.heal();
  file_.heal();
  if (s.router)
    s.router->crash_never();
  come_to_rest();
  use_everything();
  shut_down();
  return {.hash = s.events.hash(),
          .broken = s.judge.found(),
          .last = s.events.last(),
          .messages = messages(),
          .lives = s.life,
          .launches = launches_,
          .lasted = s.now};
}

// Whatever is under way comes to its end.
void world::come_to_rest() {
  auto& s = shared_;
  turns_.stop();
  const auto until = s.now + longest_unrest;
  std::optional<std::string> why = "the router is down";
  while (!over() && why && s.now < until) {
    play(20s);
    if (const auto seen = view(); seen && s.router && !over()) {
      s.judge.look(s.now, *seen);
      why = s.judge.unrest(*seen);
    }
  }
  if (why)
    s.judge.blame(s.now, rules::rest, *why);
}

// The operator looks at each slot that needs it, and then the whole pool can serve. A launch that
// hung when the faults ended may need a second try.
void world::use_everything() {
  const auto ceiling = shared_.made_of.launch.ceiling;
  std::size_t serving = 0;
  for (int i = 0; i < 3 && serving < ceiling && !over(); ++i) {
    const auto before = view();
    for (const auto& x : before->capacity.unconfirmed)
      people_.release(x.slot, true);
    play(20s);
    for (std::size_t k = 0; k < shared_.made_of.slots.size(); ++k)
      people_.grow("");
    play(20s);
    come_to_rest();
    if (over())
      return;
    const auto all = view();
    serving = static_cast<std::size_t>(std::count_if(
        all->replicas.begin(), all->replicas.end(), [](const replica_view& x) { return x.owned; }));
  }
  if (!over() && serving != ceiling)
    shared_.judge.blame(
        shared_.now, rules::rest,
        std::to_string(serving) + " slots of " + std::to_string(ceiling) + " serve again");
}

void world::shut_down() {
  if (over())
    return;
  bool done = false;
  people_.shut_down(false, [&] { done = true; });
  for (int i = 0; i < 100 && !done && !over(); ++i)
    play(10s);
  if (!done)
    shared_.judge.blame(shared_.now, rules::one_answer, "the shutdown is not answered");
  shared_.judge.shut_down(shared_.now, file_.file());
  for (const auto& [instance, _] : there_.living())
    shared_.judge.blame(shared_.now, rules::clean_end, instance + " still runs");
  for (const auto& [slot, _] : file_.file())
    if (!file_.refused_to_erase(slot))
      shared_.judge.blame(shared_.now, rules::clean_end, slot + " is still recorded");
}

outcome_of_run run_seed(std::uint64_t seed, std::size_t lines, sabotage harm) {
  chance luck(~seed);
  world w(random_shape(luck), seed, lines, harm);
  return w.run();
}

}  // namespace fleet::sim
