// SPDX-License-Identifier: MIT
#include "actor_port.hpp"

#include "parked.hpp"

#include "fleet/actors/lane_scheduler.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace fleet::http {

namespace {

/// A question's way back to the coroutine that asked. Answers exactly once: with the default value
/// when the actors go before they have answered.
template <class Answer>
class reply_slot {
 public:
  template <class Handler>
  reply_slot(executor where, Handler handler) : where_(where), handler_() {
    handler_.park(std::move(handler));
  }
  reply_slot(const reply_slot&) = delete;
  reply_slot& operator=(const reply_slot&) = delete;
  ~reply_slot() { answer(missing()); }

  void answer(Answer value) {
    if (handler_) {
      asio::post(where_, [handler = handler_.take(), value = std::move(value)]() mutable {
        std::move(handler)(std::move(value));
      });
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

class actor_port final : public fleet_port {
 public:
  actor_port(caf::actor_system& system, std::size_t lane, executor where, front_actor front)
      : system_(system), where_(where), unit_(lane_unit(system, lane)), front_(std::move(front)) {}

  awaitable<route_answer> route(route_query query) override {
    return ask<route_answer>(route_atom::value, std::move(query));
  }

  void finished(turn_end end) override {
    caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
        nullptr, caf::make_message_id(), caf::make_message(finished_atom::value, std::move(end)),
        unit_);
  }

  awaitable<replica_spec> describe(instance_id instance) override {
    return ask<replica_spec>(describe_atom::value, instance);
  }

  awaitable<fleet_view> health() override { return ask<fleet_view>(health_atom::value); }

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
  template <class Answer, class... Ts>
  awaitable<Answer> ask(Ts... question) {
    co_return co_await asio::async_initiate<decltype(use_value), void(Answer)>(
        [&](auto handler) {
          auto slot = std::make_shared<reply_slot<Answer>>(where_, std::move(handler));
          // The front answers at once or the router holds a promise it always keeps, and a dead
          // actor's mailbox bounces: no timer is needed, and per turn none may be set.
          auto one_shot = [slot = std::move(slot), front = front_,
                           ... words = std::move(question)](caf::event_based_actor* self) mutable {
            self->request(front, caf::infinite, std::move(words)...)
                .then([slot](Answer& answer) { slot->answer(std::move(answer)); },
                      [slot](const caf::error&) {
                        // The slot answers for itself when it goes.
                      });
          };
          caf::actor_config config{unit_};
          system_.spawn_functor<caf::hidden>(std::true_type{}, config, one_shot);
        },
        use_value);
  }

  caf::actor_system& system_;
  executor where_;
  caf::execution_unit* unit_;
  front_actor front_;
};

}  // namespace

std::unique_ptr<fleet_port> make_actor_port(caf::actor_system& system, std::size_t lane,
                                            executor where, front_actor front) {
  return std::make_unique<actor_port>(system, lane, where, std::move(front));
}

}  // namespace fleet::http
