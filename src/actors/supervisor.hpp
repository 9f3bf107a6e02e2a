// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"

#include <caf/result.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fleet {

class supervisor_state {
 public:
  using pointer = supervisor_actor::stateful_pointer<supervisor_state>;
  static constexpr const char* name = "supervisor";

  explicit supervisor_state(pointer self) : self_(self) {}
  supervisor_actor::behavior_type start(const routing_settings& settings,
                                        std::vector<replica_spec> statics, router_actor router,
                                        prober_actor prober, logger& log);

 private:
  struct member {
    replica_spec spec;
    phase known = phase::starting;  // as last reported
    replica_actor actor;            // null between its death and its revival
  };

  caf::delegated<void> shutdown();
  void revive(instance_id id);
  void hear(const phase_report& report);
  void lost(instance_id id, std::string& reason);
  void actor_died(const caf::down_msg& death);
  void exit(const caf::error& reason);

  void add(replica_spec spec);
  void watch(instance_id id, member& m);

  pointer self_;
  routing_settings settings_;
  router_actor router_;
  prober_actor prober_;
  logger* log_ = nullptr;
  std::map<instance_id, member> members_;
  std::uint64_t last_instance_ = 0;
};

/// Joins `statics` to the router in their order and has each probed. `log` outlives the actor.
supervisor_actor::behavior_type supervisor(supervisor_state::pointer self,
                                           const routing_settings& settings,
                                           const std::vector<replica_spec>& statics,
                                           const router_actor& router, const prober_actor& prober,
                                           logger* log);

}  // namespace fleet
