// SPDX-License-Identifier: MIT
#pragma once

#include "client.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>

namespace fleet::ctl {

/// A question asked in the background, on a thread of its own; given up when it goes.
class pending {
 public:
  /// `router` outlives it.
  pending(const client& router, request question)
      : answer_(std::async(std::launch::async,
                           [&router, question = std::move(question), stop = stop_.get_token()] {
                             return router.call(question, stop);
                           })) {}
  pending(const pending&) = delete;
  pending& operator=(const pending&) = delete;
  ~pending() { stop_.request_stop(); }

  [[nodiscard]] bool ready() const {
    return answer_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Once.
  [[nodiscard]] answer take() { return answer_.get(); }

 private:
  std::stop_source stop_;
  std::future<answer> answer_;
};

/// The pauses between two looks: short at first, a second in the end.
class pauses {
 public:
  void pause() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(next_ * 5 / 4, std::chrono::milliseconds(1000));
  }

 private:
  std::chrono::milliseconds next_{100};
};

}  // namespace fleet::ctl
