// SPDX-License-Identifier: MIT
#include "sim/world/faults.hpp"

#include <iterator>

namespace fleet::sim {

void faults::plan(int count, duration within) {
  for (int i = 0; i < count; ++i)
    v_.world.plan.at(v_.world.now + v_.world.luck.between(0s, within), [this] { strike(); });
}

void faults::strike() {
  const auto what = v_.world.luck.below(100);
  if (what < 32)
    harm_process();
  else if (what < 45)
    harm_network();
  else if (what < 52)
    harm_ssh();
  else if (what < 58)
    harm_disk();
  else if (what < 68)
    harm_router();
  else if (what < 72)
    v_.turns.burst(v_.world.luck.between(3, 12));
  else
    v_.people.meddle();
}

std::optional<std::string> faults::any_process() {
  const auto& living = v_.there.living();
  if (living.empty())
    return std::nullopt;
  const auto which = static_cast<std::ptrdiff_t>(v_.world.luck.below(living.size()));
  return std::next(living.begin(), which)->first;
}

void faults::harm_process() {
  const auto victim = any_process();
  if (!victim)
    return;
  auto& luck = v_.world.luck;
  const auto how = luck.below(100);
  if (how < 55)
    v_.there.end(*victim, luck.percent(50) ? exit_status{.code = 1} : exit_status{.signal = 9},
                 luck.percent(15));
  else if (how < 80)
    v_.there.hang(*victim, luck.between(1s, 200s));
  else
    v_.there.fall_ill(*victim, luck.between(1s, 200s));
}

void faults::harm_network() {
  auto& luck = v_.world.luck;
  const auto& made_of = v_.world.made_of;
  const auto port = luck.percent(10) && !made_of.statics.empty() ? made_of.statics[0].where.port
                                                                 : luck.pick(made_of.slots).port;
  const auto how = luck.below(100);
  if (how < 30)
    v_.there.cut(luck.below(made_of.hosts.size()), luck.between(1s, 120s));
  else if (how < 60)
    v_.there.flap(port, luck.between(5s, 100s));
  else if (how < 70)
    v_.there.blind(luck.between(1s, 60s));
  else if (!machines::is_static(port))
    v_.there.squat(port, luck.pick<squatter>({squatter::good, squatter::bad, squatter::mute}),
                   luck.between(10s, 200s));
}

void faults::harm_ssh() {
  auto& luck = v_.world.luck;
  v_.given.break_ssh(luck.below(v_.world.made_of.hosts.size()),
                     luck.percent(50) ? commands::ssh_state::hangs : commands::ssh_state::refuses,
                     luck.between(5s, 150s));
}

void faults::harm_disk() {
  if (v_.world.luck.percent(50))
    v_.file.fill_up(v_.world.luck.between(1s, 60s));
  else
    v_.file.slow_down(v_.world.luck.between(1s, 60s));
}

// Without a record of what it launched nobody can start it again.
void faults::harm_router() {
  auto& world = v_.world;
  if (!world.router || !world.made_of.journal)
    return;
  if (world.luck.percent(20))
    v_.end_router();
  else
    world.router->crash_in(1 + world.luck.below(40));
}

}  // namespace fleet::sim
