// SPDX-License-Identifier: MIT
#include "front.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace fleet {

namespace {

bool about_turns(const caf::type_erased_tuple& content) {
  return content.match_element<route_atom>(0) || content.match_element<finished_atom>(0) ||
         content.match_element<describe_atom>(0) || content.match_element<health_atom>(0) ||
         content.match_element<session_atom>(0);
}

class front final : public caf::monitorable_actor {
 public:
  front(caf::actor_config& config, router_actor router, supervisor_actor supervisor)
      : caf::monitorable_actor(config),
        router_(std::move(router)),
        supervisor_(std::move(supervisor)) {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) override {
    const auto& content = what->content();
    if (content.match_elements<caf::exit_msg>()) {
      cleanup(caf::error(content.get_as<caf::exit_msg>(0).reason), host);
    } else if (is_terminated()) {
      const caf::detail::sync_request_bouncer bounce{caf::exit_reason::user_shutdown};
      bounce(*what);
    } else if (about_turns(content)) {
      caf::actor_cast<caf::abstract_actor*>(router_)->enqueue(std::move(what), host);
    } else {
      caf::actor_cast<caf::abstract_actor*>(supervisor_)->enqueue(std::move(what), host);
    }
  }

 private:
  [[nodiscard]] bool is_terminated() const { return getf(is_terminated_flag); }

  router_actor router_;
  supervisor_actor supervisor_;
};

}  // namespace

front_actor make_front(caf::actor_system& system, router_actor router,
                       supervisor_actor supervisor) {
  caf::actor_config config;
  return caf::actor_cast<front_actor>(caf::make_actor<front, caf::strong_actor_ptr>(
      system.next_actor_id(), system.node(), &system, config, std::move(router),
      std::move(supervisor)));
}

}  // namespace fleet
