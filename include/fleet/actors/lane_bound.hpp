// SPDX-License-Identifier: MIT
#pragma once

#include <source_location>

#ifndef NDEBUG
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#endif

namespace fleet {

/// A mark on state that one lane owns and that no lock guards: a member of it, checked where the
/// state is touched. Belongs to the thread of the first check, so that what is made on one thread
/// and handed to its lane is no breach, nor is a test that plays a lane on its own thread.
/// In builds with NDEBUG it is empty and checks nothing.
class lane_bound {
 public:
#ifdef NDEBUG
  [[nodiscard]] static constexpr bool here() {
    return true;
  }
  static constexpr void check(std::source_location = {}) {}
#else
  /// False on any thread but the first that asked.
  [[nodiscard]] bool here() const {
    const auto self = std::this_thread::get_id();
    std::thread::id nobody;
    return owner_.compare_exchange_strong(nobody, self, std::memory_order_relaxed) ||
           nobody == self;
  }

  /// Names the place and aborts where here() is false.
  void check(std::source_location where = std::source_location::current()) const {
    if (!here()) {
      std::fprintf(stderr, "%s:%u: another thread than its lane's touches what a lane owns\n",
                   where.file_name(), static_cast<unsigned>(where.line()));
      std::abort();
    }
  }

 private:
  mutable std::atomic<std::thread::id> owner_;
#endif
};

}  // namespace fleet
