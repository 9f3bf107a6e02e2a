// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"
#include "fleet/core/record.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet::http {

/// Something that happened to the fleet, as the log tells it.
struct event {
  std::uint64_t number = 0;  ///< from 1, without gaps
  wall_time at{};
  std::string name;  ///< the log line's
  std::vector<std::pair<std::string, std::string>> fields;
};

/// What a reader gets at once.
struct event_batch {
  bool complete = true;  ///< false: some behind the reader's place are no longer kept
  std::vector<std::shared_ptr<const event>> events;  ///< oldest first
};

/// The last events of this process. Bounded; safe to use from any thread.
class event_ring {
 public:
  /// The longest value of a field that is kept whole, in bytes.
  static constexpr std::size_t longest_value = 4096;

  /// `boot` tells the numbers of this process from those of an earlier one: random, of letters and
  /// digits. `capacity` >= 1.
  explicit event_ring(std::string boot, std::size_t capacity = 1024);
  event_ring(const event_ring&) = delete;
  event_ring& operator=(const event_ring&) = delete;

  /// Numbers and keeps it; the oldest goes when there are too many. Of a longer value the end is
  /// kept: there a log tells why.
  void append(wall_time at, std::string_view name, std::initializer_list<log_field> fields);

  [[nodiscard]] const std::string& boot() const { return boot_; }

  /// The number of the newest; 0: there is none yet.
  [[nodiscard]] std::uint64_t last() const;

  /// The oldest `most` of those behind number `after`.
  [[nodiscard]] event_batch behind(std::uint64_t after, std::size_t most) const;

 private:
  const std::string boot_;
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::deque<std::shared_ptr<const event>> kept_;  // numbers up to last_, without gaps
};

/// Whether log lines of this name tell something of the fleet, its replicas and slots. Lines about
/// single turns and clients do not: there can be thousands a second.
[[nodiscard]] bool is_fleet_event(std::string_view name);

/// Passes every line on, whatever its level, and keeps those that are fleet events.
class event_log final : public logger {
 public:
  /// `next` and `into` outlive it. `now` is asked from any thread.
  event_log(logger& next, event_ring& into, std::function<wall_time()> now)
      : next_(next), into_(into), now_(std::move(now)) {}

  void write(log_level level, std::string_view name,
             std::initializer_list<log_field> fields) override;

 private:
  logger& next_;
  event_ring& into_;
  std::function<wall_time()> now_;
};

}  // namespace fleet::http
