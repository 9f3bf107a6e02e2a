// SPDX-License-Identifier: MIT
#include "sim/world/shape.hpp"

#include <algorithm>
#include <string>

namespace fleet::sim {

namespace {

host_spec declare(std::size_t index, bool local, std::size_t slots, std::size_t devices_each) {
  host_spec host{.name = "h" + std::to_string(index),
                 .ssh = local ? "" : "user@h" + std::to_string(index),
                 .devices_per_replica = static_cast<std::uint32_t>(devices_each)};
  host.port_base = static_cast<std::uint16_t>(first_slot_port + ports_per_host * index);
  host.model = "m";
  for (std::size_t d = 0; d < slots * devices_each; ++d)
    host.devices.push_back(static_cast<std::uint32_t>(d));
  return host;
}

}  // namespace

shape random_shape(chance& luck) {
  shape s;
  const auto hosts = luck.between(2, 4);
  for (std::size_t i = 0; i < hosts; ++i)
    s.hosts.push_back(
        declare(i, i == 0 && luck.percent(75), luck.between(1, 3), luck.percent(25) ? 2 : 1));
  s.slots = lay_out_slots(s.hosts);
  if (luck.percent(30))
    s.statics.push_back({"static0", {.host = "127.0.0.1", .port = 8001}});

  s.routing.health_interval = luck.pick<duration>({5s, 5s, 2s, 10s});
  s.routing.connect_timeout = luck.pick<duration>({5s, 2s, 1s});
  s.routing.session_ttl = luck.pick<duration>({600s, 60s});
  s.routing.max_sessions = luck.pick<std::size_t>({100'000, 100'000, 4});
  s.routing.affinity_slack = luck.pick<std::uint64_t>({8, 1, 0});

  s.launch.launch_timeout = luck.between(60s, 200s);
  s.launch.drain_timeout = luck.between(10s, 100s);
  s.launch.stop_grace = luck.between(2s, 30s);
  s.launch.replace_after = std::max(luck.between(4s, 40s), 2 * s.routing.health_interval);
  s.launch.stable_after = luck.between(30s, 300s);
  s.launch.ceiling = luck.percent(70) ? s.slots.size() : luck.between(1, s.slots.size());
  s.launch.initial_replicas = luck.below(s.launch.ceiling + 1);

  s.journal = luck.percent(90);
  s.faults = static_cast<int>(luck.between(30, 80));
  s.harmed = luck.between(8min, 24min);
  s.sessions = luck.between(2, 12);
  s.turn_every = luck.between(2s, 15s);
  return s;
}

shape large_shape(std::size_t hosts, std::size_t slots_each) {
  shape s;
  for (std::size_t i = 0; i < hosts; ++i)
    s.hosts.push_back(declare(i, false, slots_each, 1));
  s.slots = lay_out_slots(s.hosts);
  s.launch.ceiling = s.launch.initial_replicas = s.slots.size();
  s.faults = 0;
  s.harmed = 0s;
  s.sessions = 1000;
  s.turn_every = 100ms;
  return s;
}

}  // namespace fleet::sim
