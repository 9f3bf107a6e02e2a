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
  explicit simulated_fleet(fleet_shape s = {});

  // -- turns ----------------------------------------------------------------

  /// Asks where a turn goes without letting anything run yet.
  asked<route_answer> ask_route(route_query query);

  /// Where this turn goes. The test fails by exception if that is not answered at once.
  route_answer route(route_query query);

  /// Where a turn of this session goes, whose id the client sent.
  route_answer begin(std::string session);

  void finish(instance_id where, std::string session, turn_outcome how = turn_outcome::done);

  /// A whole turn; where it went.
  ticket turn(std::string session);

  // -- what can be seen -----------------------------------------------------

  fleet_view health();

  replica_view of(int replica);

  /// When the fleet is started, in the calendar.
  static constexpr wall_time started_at{std::chrono::seconds(1'800'000'000)};

  /// How the instances are numbered: in the order of the fleet file.
  static instance_id node(int replica) { return {static_cast<std::uint64_t>(replica) + 1}; }

  std::shared_ptr<probe_script> script = std::make_shared<probe_script>();
  std::shared_ptr<command_script> commands = std::make_shared<command_script>();
  std::shared_ptr<journal_script> journal = std::make_shared<journal_script>();
  quiet_log log;
  running_fleet fleet;
};

}  // namespace fleet
