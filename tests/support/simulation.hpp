// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fleet {

/// The answer to a question asked inside a simulation, once there is one.
template <class T>
class asked {
 public:
  [[nodiscard]] bool answered() const { return state_->value.has_value(); }
  [[nodiscard]] bool failed() const { return state_->failed; }
  [[nodiscard]] const T& operator*() const { return state_->value.value(); }
  [[nodiscard]] const T* operator->() const { return &state_->value.value(); }

  void answer(T value) const { state_->value = std::move(value); }
  void fail() const { state_->failed = true; }

 private:
  struct state {
    std::optional<T> value;
    bool failed = false;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// An actor system on one thread in simulated time: nothing runs and no time passes but in run()
/// and play(), and each run of a test is the same as any other.
class simulation {
 public:
  simulation();
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;

  ~simulation();

  [[nodiscard]] caf::actor_system& system() { return system_; }
  [[nodiscard]] std::chrono::steady_clock::time_point now() const { return clock_.now(); }

  /// Ends this actor with the simulation. A live actor that is not tracked hangs the test.
  template <class Handle>
  Handle track(Handle actor) {
    tracked_.push_back(caf::actor_cast<caf::strong_actor_ptr>(actor));
    return actor;
  }

  /// Sends a question; its answer is there after a later run() or play(). T is `bool` for answers
  /// that carry nothing.
  template <class T, class Handle, class... Ts>
  asked<T> ask(const Handle& whom, Ts... what) {
    asked<T> result;
    system_.spawn<caf::hidden>([=](caf::event_based_actor* self) {
      auto pending = self->request(whom, caf::infinite, what...);
      const auto fail = [result](const caf::error&) { result.fail(); };
      if constexpr (std::is_same_v<T, bool>)
        pending.then([result] { result.answer(true); }, fail);
      else
        pending.then([result](const T& x) { result.answer(x); }, fail);
    });
    return result;
  }

  /// Lets actors work until all mailboxes are empty.
  void run() { scheduler_.run(); }

  /// Lets one actor work once.
  void step() { scheduler_.try_run_once(); }

  /// Lets this much time pass, from timer to timer.
  void play(std::chrono::nanoseconds time);

  /// The actors of this name that have something to do, for tests that need to harm one.
  [[nodiscard]] std::vector<caf::strong_actor_ptr> busy(std::string_view name);

 private:
  struct config : caf::actor_system_config {
    config();
  };

  config config_;
  caf::actor_system system_{config_};
  caf::scheduler::test_coordinator& scheduler_ =
      dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  caf::detail::test_actor_clock& clock_ = scheduler_.clock();
  std::vector<caf::strong_actor_ptr> tracked_;
};

}  // namespace fleet
