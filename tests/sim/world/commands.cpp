// SPDX-License-Identifier: MIT
#include "sim/world/commands.hpp"

#include <utility>

namespace fleet::sim {

namespace {

constexpr duration command_limit = 120s;
constexpr duration connect_limit = 10s;

std::size_t port_host(const slot_spec& slot) {
  return machines::host_of(slot.port);
}

}  // namespace

// -- launches ---------------------------------------------------------------

void commands::launch(question q, const launch_order& order) {
  world_.note("launch", order.slot.name, order.instance);
  world_.judge.launch_ordered(world_.now, order.slot.name, order.instance);
  if (world_.harm == sabotage::mute_commander)
    return;
  if (const auto how = reach(order.host, port_host(order.slot)); how != ssh_state::fine)
    launch_in_trouble(q, order, how);
  else
    launch_by_chance(q, order);
}

void commands::launch_in_trouble(question q, const launch_order& order, ssh_state how) {
  if (how == ssh_state::refuses)
    return tell_launch(q, world_.luck.between(1s, connect_limit),
                       failed(order, "ssh: connection refused", false));
  const bool begun = world_.luck.percent(60);
  if (begun && world_.luck.percent(60))
    start_then(order, world_.luck.between(1s, command_limit - 1s), {});
  tell_launch(q, command_limit, failed(order, "ssh: timed out", begun));
}

void commands::launch_by_chance(question q, const launch_order& order) {
  auto& luck = world_.luck;
  const bool here = order.host.ssh.empty();
  const auto soon = luck.between(1ms, here ? duration(50ms) : duration(2s));
  const auto later = soon + luck.between(1ms, 500ms);
  upbringing how{.load = luck.between(1s, 40s)};
  const auto fate = world_.calm ? 100 : luck.below(100);
  if (fate < 5)
    return tell_launch(q, later, failed(order, "exit status 127", false));
  if (fate < 10) {
    if (luck.percent(50))
      start_then(order, soon, how);
    return tell_launch(q, later, failed(order, "ssh: broken pipe", true));
  }
  if (fate < 15)
    how.load = luck.between(40s, 400s);
  else if (fate < 19)
    how.never_loads = true;
  else if (fate < 26)
    how.fails_after = luck.between(1ms, 30s);
  else if (fate < 29)
    how.wrapper_leaves = true;
  const bool slow = !world_.calm && luck.percent(4);
  start_then(order, soon, how);
  if (world_.harm == sabotage::second_process)
    start_then({order.host, order.slot, order.instance + "-again"}, soon, how);
  if (world_.harm == sabotage::hidden_process && luck.percent(20))
    return tell_launch(q, later, failed(order, "exit status 127", false));
  tell_launch(q, slow ? soon + luck.between(1s, 100s) : later, started(order));
}

void commands::start_then(const launch_order& order, duration delay, const upbringing& how) {
  ++starting_[order.slot.name];
  const bool outlives = world_.luck.percent(70);
  world_.after(delay, [=, this, in = world_.life] {
    --starting_[order.slot.name];
    if (outlives || in == world_.life)
      there_.start(order.slot, order.instance, order.host.ssh.empty(), in, how);
  });
}

void commands::tell_launch(question q, duration delay, launch_result result) {
  world_.answer_after(delay, [=, this, result = std::move(result)] {
    world_.note("launch answered", result.process.instance, result.reason);
    world_.dirty = true;
    world_.judge.launch_answered(world_.now, result);
    world_.router->answer(q, result);
  });
}

launch_result commands::started(const launch_order& order) {
  return {.started = true,
          .process = {.instance = order.instance, .process_group = 100, .birth = "1@boot"}};
}

launch_result commands::failed(const launch_order& order, std::string why, bool may_be_running) {
  return {.process = {.instance = order.instance},
          .reason = std::move(why),
          .may_be_running = may_be_running};
}

bool commands::may_start(const std::string& slot) const {
  const auto found = starting_.find(slot);
  return found != starting_.end() && found->second > 0;
}

// -- stops ------------------------------------------------------------------

void commands::stop(question q, const stop_order& order) {
  const auto& instance = order.process.instance;
  world_.note("stop", order.slot.name, instance);
  world_.judge.stop_ordered(world_.now, order.slot.name, instance);
  auto& luck = world_.luck;
  switch (reach(order.host, port_host(order.slot))) {
    case ssh_state::refuses:
      return tell_stop(q, luck.between(1s, connect_limit), instance,
                       {.reason = "ssh: connection refused"});
    case ssh_state::hangs:
      return tell_stop(q, command_limit, instance, {.reason = "ssh: timed out"});
    case ssh_state::fine:
      break;
  }
  const duration soon = luck.between(1ms, 2s);
  auto* p = there_.find(instance);
  const auto fate = world_.calm ? 100 : luck.below(100);
  if (fate < 4)
    return tell_stop(q, soon, instance, {.reason = "exit status 1"});
  const bool listens = p != nullptr && (p->now == vitality::serving || p->now == vitality::unwell ||
                                        p->now == vitality::hung);
  if (fate < 8 && listens) {
    p->faithful = true;
    return tell_stop(q, soon, instance, {.stopped = true});
  }
  if (world_.harm == sabotage::false_silence && p != nullptr) {
    there_.end(instance, {}, true);
    return tell_stop(q, soon, instance, {.stopped = true});
  }
  if (fate < 12 && p != nullptr)
    p->clings = true;
  const bool slow = fate >= 12 && fate < 20;
  kill_then(q, order, slow ? luck.between(1s, command_limit) : soon);
}

void commands::kill_then(question q, const stop_order& order, duration delay) {
  const bool outlives = world_.luck.percent(70);
  const bool misheard =
      world_.harm == sabotage::impatient_stop || (!world_.calm && world_.luck.percent(3));
  world_.after(delay, [=, this, in = world_.life] {
    if (!outlives && in != world_.life)
      return;
    const auto& instance = order.process.instance;
    auto* p = there_.find(instance);
    const bool stays = p != nullptr && p->clings;
    if (p != nullptr)
      there_.end(instance, {.signal = 15}, stays);
    if (!world_.router || in != world_.life)
      return;
    if (misheard && world_.harm == sabotage::none)
      tell_stop(q, 1ms, instance, {.reason = "ssh: broken pipe"});
    else
      tell_stop(q, 1ms, instance, {.stopped = !stays, .reason = stays ? "a worker is left" : ""});
  });
}

void commands::tell_stop(question q, duration delay, const std::string& instance,
                         stop_result result) {
  world_.answer_after(delay, [=, this, result = std::move(result)]() mutable {
    world_.note("stop answered", instance, result.stopped ? "stopped" : result.reason);
    world_.dirty = true;
    world_.judge.stop_answered(world_.now, instance, result.stopped);
    if (world_.harm == sabotage::impatient_stop && result.stopped) {
      world_.judge.seen_silent(world_.now, instance);
      result = {.reason = "exit status 1"};
    }
    world_.router->answer(q, result);
  });
}

// -- looks ------------------------------------------------------------------

void commands::inspect(question q, const inspect_order& order) {
  auto& luck = world_.luck;
  inspection seen{.reason = "ssh: no answer"};
  duration delay = luck.between(1ms, 2s);
  switch (reach(order.host, port_host(order.slot))) {
    case ssh_state::hangs:
      delay = command_limit;
      break;
    case ssh_state::refuses:
      delay = connect_limit;
      break;
    case ssh_state::fine: {
      const auto& instance = order.process.instance;
      const auto* how = there_.ended(instance);
      seen = {.known = true, .alive = there_.find(instance) != nullptr, .ended = how != nullptr};
      if (how != nullptr)
        seen.how = *how;
    }
  }
  world_.answer_after(delay, [=, this, slot = order.slot.name, instance = order.process.instance] {
    if (seen.known && !seen.alive)
      world_.judge.nothing_left(world_.now, slot, instance);
    world_.router->answer(q, seen);
  });
}

// -- ssh --------------------------------------------------------------------

commands::ssh_state commands::reach(const host_spec& host, std::size_t index) const {
  if (host.ssh.empty())
    return ssh_state::fine;
  const auto found = broken_.find(index);
  if (found != broken_.end() && found->second.until > world_.now)
    return found->second.how;
  return there_.is_cut(index) ? ssh_state::refuses : ssh_state::fine;
}

void commands::break_ssh(std::size_t host, ssh_state how, duration how_long) {
  world_.note(how == ssh_state::hangs ? "ssh hangs" : "ssh refuses",
              world_.made_of.hosts[host].name);
  broken_[host] = {how, world_.now + how_long};
}

}  // namespace fleet::sim
