// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

namespace fleet::http {

/// How many bytes of requests' bodies the router may hold at once, over all clients (--max-bodies).
/// Any thread may use it.
class body_budget {
 public:
  explicit body_budget(std::size_t bytes) : left_(bytes) {}

  /// False, and nothing taken, when fewer are left.
  [[nodiscard]] bool take(std::size_t bytes) {
    auto left = left_.load(std::memory_order_relaxed);
    while (left >= bytes) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
  void give_back(std::size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_;
};

/// What one request has taken of it. The first bytes are free, and the rest is taken in steps:
/// lanes would wait for each other over every small body. Belongs to one lane.
class body_share {
 public:
  static constexpr std::size_t free_bytes = 64 * 1024;
  static constexpr std::size_t step = 16 * 1024;

  explicit body_share(body_budget& budget) : budget_(budget) {}
  body_share(const body_share&) = delete;
  body_share& operator=(const body_share&) = delete;
  ~body_share() { release(); }

  /// Whether a body may be of `size` bytes; what it had stays when not.
  [[nodiscard]] bool cover(std::size_t size) {
    if (size <= free_bytes + held_) {
      return true;
    }
    const auto more = (size - free_bytes - held_ + step - 1) / step * step;
    if (!budget_.take(more)) {
      return false;
    }
    held_ += more;
    return true;
  }
  void release() {
    if (held_ > 0) {
      budget_.give_back(held_);
      held_ = 0;
    }
  }

 private:
  body_budget& budget_;
  std::size_t held_ = 0;
};

}  // namespace fleet::http
