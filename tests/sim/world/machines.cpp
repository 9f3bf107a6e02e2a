// SPDX-License-Identifier: MIT
#include "sim/world/machines.hpp"

#include <utility>

namespace fleet::sim {

// -- processes --------------------------------------------------------------

void machines::start(const slot_spec& slot, const std::string& instance, bool here,
                     std::uint64_t life, const upbringing& how) {
  living_.emplace(instance,
                  sim_process{.instance = instance, .slot = slot, .life = life, .here = here});
  world_.note("process starts", slot.name, instance);
  world_.dirty = true;
  world_.judge.process_started(world_.now, slot.name, instance);
  if (how.fails_after > 0s)
    world_.after(how.fails_after, [=, this] {
      if (const auto* p = find(instance); p != nullptr && p->now == vitality::loading)
        end(instance, {.code = 3});
    });
  if (how.wrapper_leaves)
    world_.after(how.load / 2, [=, this] {
      if (const auto* p = find(instance)) {
        ends_[instance] = {};
        if (p->here && p->life == world_.life && on_exit)
          on_exit({slot.name, instance, {}, {}});
      }
    });
  if (!how.never_loads)
    world_.after(how.load, [=, this] { loaded(instance); });
}

void machines::loaded(const std::string& instance) {
  auto* p = find(instance);
  if (p == nullptr || p->now != vitality::loading)
    return;
  auto& port = ports_[p->slot.port];
  if (!port.served_by.empty() || squatting(port) != squatter::none) {
    end(instance, {.code = 98});
    return;
  }
  p->now = vitality::serving;
  port.served_by = instance;
  port.has_served = true;
  world_.note("process serves", p->slot.name, instance);
}

void machines::end(const std::string& instance, exit_status how, bool leaves_worker) {
  auto* p = find(instance);
  if (p == nullptr)
    return;
  // A lie about one that is silent could not be seen through by anybody.
  leaves_worker = leaves_worker && !p->faithful;
  world_.dirty = true;
  world_.note(leaves_worker ? "process ends, worker stays" : "process ends", p->slot.name,
              instance);
  const bool told = p->now != vitality::remains && p->here && p->life == world_.life &&
                    ended(instance) == nullptr;
  release_port(*p);
  const process_exit report{p->slot.name, instance, how, "tail"};
  ends_.try_emplace(instance, how);
  if (leaves_worker) {
    p->now = vitality::remains;
  } else {
    world_.judge.process_ended(p->slot.name, instance);
    living_.erase(instance);
  }
  if (told && on_exit)
    on_exit(report);
}

sim_process* machines::find(const std::string& instance) {
  const auto found = living_.find(instance);
  return found == living_.end() ? nullptr : &found->second;
}

std::vector<std::string> machines::living_on(const std::string& slot) const {
  std::vector<std::string> found;
  for (const auto& [instance, p] : living_) {
    if (p.slot.name == slot)
      found.push_back(instance);
  }
  return found;
}

const exit_status* machines::ended(const std::string& instance) const {
  const auto found = ends_.find(instance);
  return found == ends_.end() ? nullptr : &found->second;
}

void machines::release_port(const sim_process& p) {
  auto& port = ports_[p.slot.port];
  if (port.served_by != p.instance)
    return;
  port.served_by.clear();
  if (on_silence)
    on_silence(p.slot.port);
}

void machines::hang(const std::string& instance, duration how_long) {
  auto* p = find(instance);
  if (p == nullptr || p->now != vitality::serving)
    return;
  world_.note("process hangs", p->slot.name, instance);
  p->now = vitality::hung;
  recover(instance, how_long);
}

void machines::fall_ill(const std::string& instance, duration how_long) {
  auto* p = find(instance);
  if (p == nullptr || p->now != vitality::serving)
    return;
  world_.note("process unwell", p->slot.name, instance);
  p->now = vitality::unwell;
  recover(instance, how_long);
}

void machines::recover(const std::string& instance, duration how_long) {
  world_.after(how_long, [=, this] {
    auto* p = find(instance);
    if (p != nullptr && (p->now == vitality::hung || p->now == vitality::unwell))
      p->now = vitality::serving;
  });
}

// -- the network ------------------------------------------------------------

machines::sight machines::look(std::uint16_t port) {
  auto& at = ports_[port];
  if (is_static(port) && world_.harm == sabotage::endless_illness)
    return {};
  if (is_static(port))
    return {.verdict = at.flaps_until > world_.now ? probe_verdict::silent : probe_verdict::good,
            .connected = at.flaps_until <= world_.now};
  const auto* p = at.served_by.empty() ? nullptr : find(at.served_by);
  const bool lost =
      is_cut(host_of(port)) || (at.flaps_until > world_.now && world_.luck.percent(50));
  if (p == nullptr || !p->faithful) {
    if (blind_until_ > world_.now)
      return {.verdict = probe_verdict::inconclusive};
    if (lost)
      return {.late = true};
  }
  if (p != nullptr) {
    if (p->now == vitality::hung)
      return {.connected = true, .late = true};
    return {.verdict = p->now == vitality::serving ? probe_verdict::good : probe_verdict::bad,
            .connected = true};
  }
  switch (squatting(at)) {
    case squatter::good:
      return {.verdict = probe_verdict::good, .connected = true};
    case squatter::bad:
      return {.verdict = probe_verdict::bad, .connected = true};
    case squatter::mute:
      return {.connected = true, .late = true};
    default:
      return {};
  }
}

bool machines::accepts(std::uint16_t port) {
  auto& at = ports_[port];
  if (is_static(port))
    return at.flaps_until <= world_.now;
  if (is_cut(host_of(port)))
    return false;
  return !at.served_by.empty() || squatting(at) != squatter::none;
}

void machines::cut(std::size_t host, duration how_long) {
  world_.note("network cut", world_.made_of.hosts[host].name);
  cuts_[host] = world_.now + how_long;
}

void machines::squat(std::uint16_t port, squatter how, duration how_long) {
  auto& at = ports_[port];
  if (!at.served_by.empty())
    return;
  world_.note("a stranger takes a port", std::to_string(port));
  at.taken = how;
  at.taken_until = world_.now + how_long;
}

void machines::flap(std::uint16_t port, duration how_long) {
  world_.note("probes flap", std::to_string(port));
  ports_[port].flaps_until = world_.now + how_long;
}

void machines::heal() {
  cuts_.clear();
  blind_until_ = moment(0);
  for (auto& [_, p] : ports_)
    p.taken_until = p.flaps_until = moment(0);
  for (auto& [_, p] : living_) {
    if (p.now == vitality::unwell)
      p.now = vitality::serving;
  }
}

// See shape.cpp.
bool machines::is_static(std::uint16_t port) {
  return port < first_slot_port;
}

std::size_t machines::host_of(std::uint16_t port) {
  return (port - first_slot_port) / ports_per_host;
}

}  // namespace fleet::sim
