// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/system.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"

#include <caf/result.hpp>
#include <caf/typed_response_promise.hpp>

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
  supervisor_actor::behavior_type start(fleet_plan plan, router_actor router, logger& log);

 private:
  struct member {
    replica_spec spec;
    phase known = phase::starting;  // as last reported
    replica_actor actor;            // null between its death and its revival
  };

  caf::delegated<void> shutdown();
  [[nodiscard]] capacity_view capacity() const;
  [[nodiscard]] grow_answer grow(const std::string& slot) const;
  [[nodiscard]] shrink_answer shrink(const std::string& replica_name) const;
  caf::result<pool_view> view();
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

/// Joins the static replicas to the router in their order and has each probed. `log` outlives the
/// actor.
supervisor_actor::behavior_type supervisor(supervisor_state::pointer self, const fleet_plan& plan,
                                           const router_actor& router, logger* log);

}  // namespace fleet
