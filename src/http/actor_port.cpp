// SPDX-License-Identifier: MIT
#include "actor_port.hpp"

#include "parked.hpp"

#include "fleet/actors/lane_bound.hpp"
#include "fleet/actors/lane_scheduler.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace fleet::http {

namespace {

/// What a coroutine waits for. It is told exactly once: the default value when the actors go before
/// they have answered.
class question {
 public:
  question() = default;
  question(const question&) = delete;
  question& operator=(const question&) = delete;
  virtual ~question() = default;

  virtual void hear(caf::type_erased_tuple& answer) = 0;
};

template <class Answer>
class question_for final : public question {
 public:
  template <class Handler>
  question_for(executor where, Handler handler) : where_(where) {
    handler_.park(std::move(handler));
  }
  ~question_for() override {
    if (handler_) {
      asio::post(where_, [handler = handler_.take()]() mutable { std::move(handler)(missing()); });
    }
  }

  void hear(caf::type_erased_tuple& answer) override {
    if (!answer.match_elements<Answer>()) {
      handler_.resume(missing());
    } else if (answer.shared()) {
      handler_.resume(answer.get_as<Answer>(0));
    } else {
      handler_.resume(std::move(answer.get_mutable_as<Answer>(0)));
    }
  }

 private:
  static Answer missing() {
    if constexpr (std::is_same_v<Answer, route_answer>) {
      return {.why = no_route::shutting_down};
    } else {
      return {};
    }
  }

  executor where_;
  parked<Answer> handler_;
};

/// Who a lane's questions come from, and where their answers arrive: an actor without a mailbox, as
/// a hidden one for each question would cost a turn more than all else the actors do for it.
class answer_desk final : public caf::monitorable_actor {
 public:
  answer_desk(caf::actor_config& config, executor where)
      : caf::monitorable_actor(config), where_(where) {}

  /// On the lane.
  [[nodiscard]] caf::message_id expect(std::unique_ptr<question> asked) {
    bound_.check();
    open_.emplace(++last_, std::move(asked));
    return caf::make_message_id(last_);
  }

  /// From any thread.
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* /*host*/) override {
    if (what->mid.is_response()) {
      asio::post(where_, [self = caf::strong_actor_ptr(ctrl()), this,
                          what = std::move(what)]() mutable { hear(*what); });
    }
  }

 private:
  void hear(caf::mailbox_element& what) {
    bound_.check();
    if (const auto asked = open_.extract(what.mid.request_id().integer_value())) {
      asked.mapped()->hear(what.content());
    }
  }

  executor where_;
  [[no_unique_address]] lane_bound bound_;
  std::uint64_t last_ = 0;                                             // this lane only
  std::unordered_map<std::uint64_t, std::unique_ptr<question>> open_;  // this lane only
};

class actor_port final : public fleet_port {
 public:
  actor_port(caf::actor_system& system, std::size_t lane, executor where, front_actor front)
      : where_(where), unit_(lane_unit(system, lane)), front_(std::move(front)) {
    caf::actor_config config{unit_};
    desk_ = caf::make_actor<answer_desk, caf::strong_actor_ptr>(
        system.next_actor_id(), system.node(), &system, config, where);
  }

  awaitable<route_answer> route(route_query query) override {
    return ask<route_answer>(route_atom::value, std::move(query));
  }

  void finished(turn_end end) override {
    tell(nullptr, caf::make_message_id(), finished_atom::value, std::move(end));
  }

  awaitable<replica_spec> describe(instance_id instance) override {
    return ask<replica_spec>(describe_atom::value, instance);
  }

  awaitable<fleet_view> health() override { return ask<fleet_view>(health_atom::value); }

  awaitable<session_view> session(std::string id) override {
    return ask<session_view>(session_atom::value, std::move(id));
  }

  awaitable<grow_answer> grow(std::string slot) override {
    return ask<grow_answer>(grow_atom::value, std::move(slot));
  }
  awaitable<shrink_answer> shrink(std::string replica) override {
    return ask<shrink_answer>(shrink_atom::value, std::move(replica));
  }
  awaitable<release_answer> release(std::string slot) override {
    return ask<release_answer>(release_atom::value, std::move(slot));
  }
  awaitable<pool_view> fleet() override { return ask<pool_view>(fleet_atom::value); }
  awaitable<log_answer> read_log(log_query wanted) override {
    return ask<log_answer>(log_atom::value, std::move(wanted));
  }

 private:
  // The front answers at once or the router holds a promise it always keeps, and a dead actor's
  // mailbox bounces: no timer is needed, and per turn none may be set.
  template <class Answer, class... Ts>
  awaitable<Answer> ask(Ts... words) {
    return asio::async_initiate<decltype(use_value), void(Answer)>(
        [this, ... words = std::move(words)](auto handler) mutable {
          auto& desk = static_cast<answer_desk&>(*desk_->get());
          const auto id =
              desk.expect(std::make_unique<question_for<Answer>>(where_, std::move(handler)));
          tell(desk_, id, std::move(words)...);
        },
        use_value);
  }

  template <class... Ts>
  void tell(caf::strong_actor_ptr from, caf::message_id id, Ts... words) {
    caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
        caf::make_mailbox_element(std::move(from), id, {}, std::move(words)...), unit_);
  }

  executor where_;
  caf::execution_unit* unit_;
  front_actor front_;
  caf::strong_actor_ptr desk_;
};

}  // namespace

std::unique_ptr<fleet_port> make_actor_port(caf::actor_system& system, std::size_t lane,
                                            executor where, front_actor front) {
  return std::make_unique<actor_port>(system, lane, where, std::move(front));
}

}  // namespace fleet::http
