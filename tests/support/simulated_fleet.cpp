// SPDX-License-Identifier: MIT
#include "support/simulated_fleet.hpp"

#include <utility>

namespace fleet {

namespace {

std::vector<host_spec> declare_hosts(const fleet_shape& s) {
  std::vector<host_spec> hosts;
  const auto add = [&](std::string name, std::string ssh, int slots, std::uint16_t port_base) {
    if (slots == 0)
      return;
    host_spec host{.name = std::move(name), .ssh = std::move(ssh), .port_base = port_base};
    if (!host.ssh.empty())
      host.address = "far";
    for (int i = 0; i < slots; ++i)
      host.devices.push_back(static_cast<std::uint32_t>(i));
    hosts.push_back(std::move(host));
  };
  add("far", "user@far", s.far, 9100);
  add("near", "", s.near, 9000);
  return hosts;
}

}  // namespace

simulated_fleet::simulated_fleet(fleet_shape s) {
  script->steps = std::move(s.probes);
  std::vector<replica_spec> statics;
  for (int i = 0; i < s.replicas; ++i)
    statics.push_back({"node" + std::to_string(i),
                       {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(8001 + i)}});
  for (const auto& x : s.recorded)
    journal->held[x.slot] = x;
  auto hosts = declare_hosts(s);
  auto slots = lay_out_slots(hosts);
  for (const auto& x : slots)
    script->set(x.port, probe_verdict::silent);
  if (s.launch.ceiling == 0)
    s.launch.ceiling = slots.size();
  fleet = start_fleet(system(),
                      {.routing = s.settings,
                       .launch = s.launch,
                       .statics = std::move(statics),
                       .hosts = std::move(hosts),
                       .slots = std::move(slots),
                       .prober = system().spawn(scripted_prober, script),
                       .commander = system().spawn(scripted_commander, commands, script),
                       .journal = system().spawn(scripted_journal, journal),
                       .recorded = std::move(s.recorded),
                       .started_at = started_at,
                       .mint_instance = [n = 0]() mutable { return "i" + std::to_string(++n); }},
                      log);
  for (auto& x : fleet.fronts)
    track(x);
  track(fleet.supervisor);
  track(fleet.router);
  track(fleet.prober);
  track(fleet.commander);
  track(fleet.journal);
}

asked<route_answer> simulated_fleet::ask_route(route_query query) {
  return ask<route_answer>(fleet.fronts[0], route_atom_v, std::move(query));
}

route_answer simulated_fleet::route(route_query query) {
  auto answer = ask_route(std::move(query));
  run();
  return *answer;
}

route_answer simulated_fleet::begin(std::string session) {
  return route(route_query{.session = std::move(session)});
}

void simulated_fleet::finish(instance_id where, std::string session, turn_outcome how) {
  caf::anon_send(fleet.fronts[0], finished_atom_v,
                 turn_end{where, std::move(session), how, to_string(how)});
  run();
}

ticket simulated_fleet::turn(std::string session) {
  const auto answer = begin(session);
  finish(answer.where.replica, std::move(session));
  return answer.where;
}

fleet_view simulated_fleet::health() {
  auto answer = ask<fleet_view>(fleet.fronts[0], health_atom_v);
  run();
  return *answer;
}

replica_view simulated_fleet::of(int replica) {
  return health().replicas.at(static_cast<std::size_t>(replica));
}

}  // namespace fleet
