// SPDX-License-Identifier: MIT
#pragma once

#include "support/quiet_log.hpp"
#include "support/scripted_commander.hpp"
#include "support/scripted_journal.hpp"
#include "support/scripted_prober.hpp"
#include "support/simulation.hpp"

#include "fleet/actors/system.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fleet {

/// What a simulated fleet is made of.
struct fleet_shape {
  int replicas = 2;
  routing_settings settings;
  std::map<std::uint16_t, std::vector<probe_step>> probes;
  int near = 0;                       ///< slots near-d<i> on this machine, port 9000+i
  int far = 0;                        ///< slots far-d<i> behind ssh, port 9100+i
  launch_settings launch;             ///< a ceiling of 0 stands for all slots
  std::vector<slot_record> recorded;  ///< by an earlier router
};

/// A whole fleet in simulated time: static replica i is `node<i>` on port 8001+i and answers its
/// probes unless the script says otherwise.
class simulated_fleet : public simulation {
 public:
  explicit simulated_fleet(fleet_shape s = {}) {
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

  // -- turns ----------------------------------------------------------------

  /// Asks where a turn goes without letting anything run yet.
  asked<route_answer> ask_route(route_query query) {
    return ask<route_answer>(fleet.fronts[0], route_atom_v, std::move(query));
  }

  /// Where this turn goes. The test fails by exception if that is not answered at once.
  route_answer route(route_query query) {
    auto answer = ask_route(std::move(query));
    run();
    return *answer;
  }

  /// Where a turn of this session goes, whose id the client sent.
  route_answer begin(std::string session) {
    return route(route_query{.session = std::move(session)});
  }

  void finish(instance_id where, std::string session, turn_outcome how = turn_outcome::done) {
    caf::anon_send(fleet.fronts[0], finished_atom_v,
                   turn_end{where, std::move(session), how, to_string(how)});
    run();
  }

  /// A whole turn; where it went.
  ticket turn(std::string session) {
    const auto answer = begin(session);
    finish(answer.where.replica, std::move(session));
    return answer.where;
  }

  // -- what can be seen -----------------------------------------------------

  fleet_view health() {
    auto answer = ask<fleet_view>(fleet.fronts[0], health_atom_v);
    run();
    return *answer;
  }

  replica_view of(int replica) { return health().replicas.at(static_cast<std::size_t>(replica)); }

  /// When the fleet is started, in the calendar.
  static constexpr wall_time started_at{std::chrono::seconds(1'800'000'000)};

  /// How the instances are numbered: in the order of the fleet file.
  static instance_id node(int replica) { return {static_cast<std::uint64_t>(replica) + 1}; }

  std::shared_ptr<probe_script> script = std::make_shared<probe_script>();
  std::shared_ptr<command_script> commands = std::make_shared<command_script>();
  std::shared_ptr<journal_script> journal = std::make_shared<journal_script>();
  quiet_log log;
  running_fleet fleet;

 private:
  static std::vector<host_spec> declare_hosts(const fleet_shape& s) {
    std::vector<host_spec> hosts;
    const auto add = [&](std::string name, std::string ssh, int slots, std::uint16_t port_base) {
      if (slots == 0)
        return;
      host_spec host{.name = std::move(name), .ssh = std::move(ssh), .port_base = port_base};
      for (int i = 0; i < slots; ++i)
        host.devices.push_back(static_cast<std::uint32_t>(i));
      hosts.push_back(std::move(host));
    };
    add("far", "user@far", s.far, 9100);
    add("near", "", s.near, 9000);
    return hosts;
  }
};

}  // namespace fleet
