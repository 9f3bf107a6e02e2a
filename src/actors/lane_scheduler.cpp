// SPDX-License-Identifier: MIT
#include "fleet/actors/lane_scheduler.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fleet {

namespace {

// Actors resumed, and messages one of them takes, before the lane's sockets get their turn.
constexpr std::size_t jobs_per_drain = 64;
constexpr std::size_t messages_per_job = 64;

/// What one lane runs next. A job in here carries one reference to its actor.
class lane final : public caf::execution_unit {
 public:
  lane(caf::actor_system& system, lane_driver& driver, std::size_t index, std::size_t throughput)
      : caf::execution_unit(&system), driver_(driver), index_(index), throughput_(throughput) {
    // nop
  }

  void exec_later(caf::resumable* job) override {
    if (driver_.current() != index_) {
      hand_over(job);
      return;
    }
    ready_.push_back(job);
    if (!drain_posted_)
      post_drain();
  }

  /// From any thread.
  void hand_over(caf::resumable* job) {
    const std::lock_guard guard(mutex_);
    inbox_.push_back(job);
    if (std::exchange(inbox_posted_, true))
      return;
    driver_.post(index_, [this] { take_inbox(); });
  }

  /// Once the thread has ended: nothing is posted any more.
  void close() {
    const std::lock_guard guard(mutex_);
    inbox_posted_ = true;
  }

  /// What never ran. After close().
  [[nodiscard]] std::vector<caf::resumable*> leftovers() {
    const std::lock_guard guard(mutex_);
    auto left = std::exchange(inbox_, {});
    left.insert(left.end(), ready_.begin(), ready_.end());
    ready_.clear();
    return left;
  }

 private:
  void take_inbox() {
    {
      const std::lock_guard guard(mutex_);
      ready_.insert(ready_.end(), inbox_.begin(), inbox_.end());
      inbox_.clear();
      inbox_posted_ = false;
    }
    if (!drain_posted_)
      drain();
  }

  void post_drain() {
    drain_posted_ = true;
    driver_.post(index_, [this] { drain(); });
  }

  void drain() {
    drain_posted_ = true;  // jobs woken from here on are seen by this loop
    for (std::size_t n = 0; n < jobs_per_drain && !ready_.empty(); ++n) {
      auto* job = ready_.front();
      ready_.pop_front();
      run(job);
    }
    drain_posted_ = false;
    if (!ready_.empty())
      post_drain();
  }

  void run(caf::resumable* job) {
    switch (job->resume(this, throughput_)) {
      case caf::resumable::resume_later:
        ready_.push_back(job);  // its reference stays with it
        break;
      case caf::resumable::done:
      case caf::resumable::awaiting_message:
      case caf::resumable::shutdown_execution_unit:
        caf::intrusive_ptr_release(job);
        break;
    }
  }

  lane_driver& driver_;
  const std::size_t index_;
  const std::size_t throughput_;
  std::deque<caf::resumable*> ready_;  // this lane's thread only
  bool drain_posted_ = false;          // this lane's thread only
  std::mutex mutex_;
  std::vector<caf::resumable*> inbox_;  // guarded by mutex_
  bool inbox_posted_ = false;           // guarded by mutex_
};

/// The stock clock, but silent about actors that never set a timeout. CAF cancels the timeouts of
/// every actor that ends, and each such order wakes the clock's thread: two thread switches for
/// each of the short-lived actors that a turn is made of.
class lane_clock final : public caf::detail::thread_safe_actor_clock {
 public:
  using super = caf::detail::thread_safe_actor_clock;

  void set_ordinary_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type,
                            std::uint64_t id) override {
    note(self);
    super::set_ordinary_timeout(due, self, type, id);
  }

  void set_multi_timeout(time_point due, caf::abstract_actor* self, caf::atom_value type,
                         std::uint64_t id) override {
    note(self);
    super::set_multi_timeout(due, self, type, id);
  }

  void set_request_timeout(time_point due, caf::abstract_actor* self, caf::message_id id) override {
    note(self);
    super::set_request_timeout(due, self, id);
  }

  void cancel_timeouts(caf::abstract_actor* self) override {
    {
      const std::lock_guard guard(mutex_);
      if (timed_.erase(self->id()) == 0)
        return;
    }
    super::cancel_timeouts(self);
  }

 private:
  void note(const caf::abstract_actor* self) {
    const std::lock_guard guard(mutex_);
    timed_.insert(self->id());
  }

  std::mutex mutex_;
  std::unordered_set<caf::actor_id> timed_;  // live actors that set a timeout; guarded by mutex_
};

class lane_coordinator final : public caf::scheduler::abstract_coordinator {
 public:
  using super = caf::scheduler::abstract_coordinator;

  lane_coordinator(caf::actor_system& system, lane_driver& driver)
      : super(system), driver_(driver) {
    // nop
  }

  [[nodiscard]] caf::execution_unit* unit(std::size_t index) { return lanes_[index].get(); }

  void init(caf::actor_system_config& config) override {
    super::init(config);
    num_workers_ = driver_.lanes();
    max_throughput_ = std::min(max_throughput_, messages_per_job);
  }

  void start() override {
    for (std::size_t i = 0; i < num_workers_; ++i)
      lanes_.push_back(std::make_unique<lane>(system(), driver_, i, max_throughput_));
    driver_.start();
    timer_ = std::thread([this] { clock_.run_dispatch_loop(); });
    super::start();
  }

  void stop() override {
    stop_actors();
    clock_.cancel_dispatch_loop();
    timer_.join();
    driver_.stop();
    for (auto& x : lanes_)
      x->close();
    // Cleaning up one actor may wake another, which lands in an inbox again.
    for (bool found = true; found;) {
      found = false;
      for (auto& x : lanes_) {
        for (auto* job : x->leftovers()) {
          cleanup_and_release(job);
          found = true;
        }
      }
    }
  }

  void enqueue(caf::resumable* job) override {
    if (const auto here = driver_.current(); here != lane_driver::npos)
      lanes_[here]->exec_later(job);
    else
      lanes_[next_worker_.fetch_add(1, std::memory_order_relaxed) % lanes_.size()]->hand_over(job);
  }

  caf::actor_clock& clock() noexcept override { return clock_; }

 private:
  lane_driver& driver_;
  std::vector<std::unique_ptr<lane>> lanes_;
  lane_clock clock_;
  std::thread timer_;
};

}  // namespace

void use_lanes(caf::actor_system_config& config, lane_driver& driver) {
  config.module_factories.emplace_back(
      [&driver](caf::actor_system& system) -> caf::actor_system::module* {
        return new lane_coordinator(system, driver);
      });
}

caf::execution_unit* lane_unit(caf::actor_system& system, std::size_t lane) {
  if (auto* lanes = dynamic_cast<lane_coordinator*>(&system.scheduler()))
    return lanes->unit(lane);
  return system.dummy_execution_unit();
}

}  // namespace fleet
