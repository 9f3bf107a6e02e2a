// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/http/event_ring.hpp"

#include <atomic>
#include <cstddef>

namespace fleet::http {

/// The events that GET /events tells, and how many clients follow them on all lanes together.
struct event_source {
  const event_ring& ring;
  std::atomic<std::size_t> followers{0};
};

/// One of those clients. Any lane.
class follower {
 public:
  static constexpr std::size_t most = 64;

  explicit follower(event_source& events) : events_(events), seated_(events.followers++ < most) {}
  follower(const follower&) = delete;
  follower& operator=(const follower&) = delete;
  ~follower() { --events_.followers; }

  /// False: there are too many.
  [[nodiscard]] bool seated() const { return seated_; }

 private:
  event_source& events_;
  bool seated_;
};

}  // namespace fleet::http
