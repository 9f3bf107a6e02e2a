// SPDX-License-Identifier: MIT
#include "fleet/launch/commander_actor.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <unordered_map>
#include <utility>

namespace fleet {

namespace {

/// The commander with the messages its processes answer through; only commander_actor is seen
/// outside.
using commander_with_answers =
    commander_actor::extend<caf::reacts_to<launch_atom, std::uint64_t, launch_result>,
                            caf::reacts_to<stop_atom, std::uint64_t, stop_result>,
                            caf::reacts_to<inspect_atom, std::uint64_t, inspection>,
                            caf::reacts_to<log_atom, std::uint64_t, log_answer>,
                            caf::reacts_to<exited_atom, process_exit>>;

/// The questions of one kind that are still out. A promise belongs to its actor's thread, so the
/// process side answers with a message that names the question.
template <class Answer>
class questions {
 public:
  template <class Self>
  std::pair<std::uint64_t, caf::typed_response_promise<Answer>> ask(Self self) {
    auto promise = self->template make_response_promise<Answer>();
    const auto id = next_++;
    open_.emplace(id, promise);
    return {id, promise};
  }

  void answer(std::uint64_t id, Answer& value) {
    const auto found = open_.find(id);
    if (found != open_.end()) {
      found->second.deliver(std::move(value));
      open_.erase(found);
    }
  }

 private:
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, caf::typed_response_promise<Answer>> open_;
};

class commander_state {
 public:
  static inline const char* name = "commander";
  using pointer = commander_with_answers::stateful_pointer<commander_state>;

  explicit commander_state(commander_with_answers::pointer self) : self_(self) {}

  commander_with_answers::behavior_type start(process_commander::options given) {
    // Weak: the commander's callbacks must not keep the actor that owns it alive.
    const caf::actor_addr me = self_->address();
    processes_ = std::make_unique<process_commander>(
        [](const std::function<void()>& work) { work(); },
        [me](process_exit how) {
          if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(me)) {
            caf::anon_send(caf::actor_cast<commander_with_answers>(to), exited_atom::value,
                           std::move(how));
          }
        },
        given);
    return {
        [this](launch_atom, launch_order& order) { return launch(order); },
        [this](stop_atom, stop_order& order) { return stop(order); },
        [this](inspect_atom, inspect_order& order) { return inspect_process(order); },
        [this](log_atom, log_order& order) { return read_log(order); },
        [this](listen_atom, exit_listener_actor& who) { listener_ = std::move(who); },
        [this](launch_atom, std::uint64_t id, launch_result& r) { launches_.answer(id, r); },
        [this](stop_atom, std::uint64_t id, stop_result& r) { stops_.answer(id, r); },
        [this](inspect_atom, std::uint64_t id, inspection& r) { looks_.answer(id, r); },
        [this](log_atom, std::uint64_t id, log_answer& r) { logs_.answer(id, r); },
        [this](exited_atom, process_exit& how) { exited(how); },
    };
  }

 private:
  template <class Atom, class Answer>
  auto reply(Atom what, std::uint64_t id) {
    return [me = caf::actor_cast<commander_with_answers>(self_), what, id](Answer answer) {
      caf::anon_send(me, what, id, std::move(answer));
    };
  }

  caf::typed_response_promise<launch_result> launch(launch_order& order) {
    auto [id, promise] = launches_.ask(self_);
    processes_->launch(std::move(order), reply<launch_atom, launch_result>(launch_atom::value, id));
    return promise;
  }

  caf::typed_response_promise<stop_result> stop(stop_order& order) {
    auto [id, promise] = stops_.ask(self_);
    processes_->stop(std::move(order), reply<stop_atom, stop_result>(stop_atom::value, id));
    return promise;
  }

  caf::typed_response_promise<inspection> inspect_process(inspect_order& order) {
    auto [id, promise] = looks_.ask(self_);
    processes_->inspect(std::move(order), reply<inspect_atom, inspection>(inspect_atom::value, id));
    return promise;
  }

  caf::typed_response_promise<log_answer> read_log(log_order& order) {
    auto [id, promise] = logs_.ask(self_);
    processes_->read_log(std::move(order), reply<log_atom, log_answer>(log_atom::value, id));
    return promise;
  }

  void exited(process_exit& how) {
    if (listener_) {
      self_->send(listener_, exited_atom::value, std::move(how));
    }
  }

  commander_with_answers::pointer self_;
  questions<launch_result> launches_;
  questions<stop_result> stops_;
  questions<inspection> looks_;
  questions<log_answer> logs_;
  exit_listener_actor listener_;
  std::unique_ptr<process_commander> processes_;
};

commander_with_answers::behavior_type commander(commander_state::pointer self,
                                                process_commander::options given) {
  return self->state.start(given);
}

}  // namespace

commander_actor spawn_commander(caf::actor_system& system, process_commander::options given) {
  return caf::actor_cast<commander_actor>(system.spawn(commander, given));
}

}  // namespace fleet
