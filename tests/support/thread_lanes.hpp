// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/lane_scheduler.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fleet {

/// Lanes on plain threads: the smallest driver there can be, for tests and benchmarks.
class thread_lanes final : public lane_driver {
 public:
  explicit thread_lanes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      lanes_.push_back(std::make_unique<one>());
  }

  [[nodiscard]] std::size_t lanes() const override { return lanes_.size(); }

  void start() override {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      lanes_[i]->thread = std::thread([this, i] {
        here() = i;
        run(*lanes_[i]);
      });
  }

  void stop() override {
    for (auto& x : lanes_) {
      const std::lock_guard guard(x->mutex);
      x->ending = true;
      x->wake.notify_one();
    }
    for (auto& x : lanes_)
      x->thread.join();
  }

  void post(std::size_t lane, std::function<void()> work) override {
    auto& x = *lanes_[lane];
    const std::lock_guard guard(x.mutex);
    x.work.push_back(std::move(work));
    x.wake.notify_one();
  }

  [[nodiscard]] std::size_t current() const override { return here(); }

 private:
  struct one {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> work;
    bool ending = false;
    std::thread thread;
  };

  // A thread is a lane of one driver only, for as long as it lives.
  static std::size_t& here() {
    thread_local std::size_t index = npos;
    return index;
  }

  static void run(one& x) {
    std::unique_lock guard(x.mutex);
    for (;;) {
      x.wake.wait(guard, [&] { return x.ending || !x.work.empty(); });
      if (x.work.empty())
        return;
      auto next = std::move(x.work.front());
      x.work.pop_front();
      guard.unlock();
      next();
      guard.lock();
    }
  }

  std::vector<std::unique_ptr<one>> lanes_;
};

}  // namespace fleet
