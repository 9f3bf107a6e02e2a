// SPDX-License-Identifier: MIT
#include "deadline_wheel.hpp"

#include <algorithm>

namespace fleet::http {

void deadline::arm(std::chrono::nanoseconds limit, std::function<void()> expired) {
  disarm();
  due_ = steady_clock::now() + std::min<std::chrono::nanoseconds>(limit, std::chrono::years(1));
  expired_ = std::move(expired);
  wheel_.insert(*this);
}

void deadline::disarm() {
  wheel_.bound_.check();
  if (is_linked()) {
    unlink();
  }
  expired_ = nullptr;
}

void deadline_wheel::insert(deadline& d) {
  const auto away = std::max<std::chrono::nanoseconds>(d.due_ - steady_clock::now(), tick);
  const auto ticks = static_cast<std::size_t>(away / tick);
  slots_[(at_ + std::min(ticks, slots_.size() - 1)) % slots_.size()].push_back(d);
  idle_ticks_ = 0;
  if (!ticking_) {
    ticking_ = true;
    timer_.expires_after(tick);
    wait();
  }
}

void deadline_wheel::wait() {
  timer_.async_wait([this](error_code ec) {
    if (!ec) {
      turn();
    }
  });
}

void deadline_wheel::turn() {
  bound_.check();
  // What an expired deadline does may arm, disarm or destroy any other, so take them one by one.
  slot now;
  now.swap(slots_[at_]);
  at_ = (at_ + 1) % slots_.size();
  idle_ticks_ = now.empty() ? idle_ticks_ + 1 : 0;
  const auto time = steady_clock::now();
  while (!now.empty()) {
    deadline& d = now.front();
    now.pop_front();
    if (d.due_ > time) {
      insert(d);
      continue;
    }
    const auto expired = std::move(d.expired_);
    d.expired_ = nullptr;
    expired();
  }
  // A whole turn without a deadline: every slot is empty.
  if (idle_ticks_ > slots_.size()) {
    ticking_ = false;
    return;
  }
  timer_.expires_at(std::max(timer_.expiry() + tick, steady_clock::now()));
  wait();
}

}  // namespace fleet::http
