// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include "fleet/actors/lane_bound.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
#include <functional>

namespace fleet::http {

class deadline_wheel;

/// One thing that must not take longer than it may. Belongs to one lane and is used there only;
/// destroying or disarming it is silent.
class deadline : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  explicit deadline(deadline_wheel& wheel) : wheel_(wheel) {}

  /// Calls `expired` once, on the lane, at the first tick after `limit` from now. Arming again
  /// replaces what was armed. A limit beyond a year counts as a year.
  void arm(std::chrono::nanoseconds limit, std::function<void()> expired);
  void disarm();

 private:
  friend class deadline_wheel;

  deadline_wheel& wheel_;
  steady_clock::time_point due_;
  std::function<void()> expired_;
};

/// All deadlines of one lane, looked at every `tick`. One timer serves thousands of connections, so
/// that a turn arms and disarms its limits without a system call; the price is that a limit is kept
/// to within a tick. Stands still while nothing is armed.
class deadline_wheel {
 public:
  static constexpr std::chrono::milliseconds tick{50};

  explicit deadline_wheel(executor where) : timer_(where) {}
  deadline_wheel(const deadline_wheel&) = delete;
  deadline_wheel& operator=(const deadline_wheel&) = delete;

 private:
  friend class deadline;
  using slot = boost::intrusive::list<deadline, boost::intrusive::constant_time_size<false>>;

  void insert(deadline& d);
  void wait();
  void turn();

  [[no_unique_address]] lane_bound bound_;
  steady_timer timer_;
  std::array<slot, 512> slots_;
  std::size_t at_ = 0;  ///< the slot looked at next
  bool ticking_ = false;
  std::size_t idle_ticks_ = 0;
};

}  // namespace fleet::http
