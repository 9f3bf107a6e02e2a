// SPDX-License-Identifier: MIT
#include "fleet/http/event_ring.hpp"

#include "fleet/core/harmless.hpp"

#include <algorithm>
#include <array>

namespace fleet::http {

namespace {

constexpr std::array<std::string_view, 27> fleet_events{
    "actor_died",         "drain_timeout",     "launch_failed",
    "listening",          "record_failed",     "replacement_cancelled",
    "replacement_waits",  "replacing",         "replica_adopted",
    "replica_drained",    "replica_draining",  "replica_exited",
    "replica_launched",   "replica_launching", "replica_lost",
    "replica_phase",      "replica_stopped",   "replica_unreachable",
    "replica_unroutable", "second_signal",     "slot_abandoned",
    "slot_released",      "slot_reserved",     "state_file",
    "stop_unconfirmed",   "stopped",           "stopping",
};

std::string bounded(std::string_view value) {
  constexpr std::string_view cut = "... ";
  if (value.size() <= event_ring::longest_value) {
    return harmless(value);
  }
  value.remove_prefix(value.size() - event_ring::longest_value + cut.size());
  // Not in the middle of a character: its bytes would become question marks.
  while (!value.empty() && (static_cast<unsigned char>(value.front()) & 0xc0U) == 0x80U) {
    value.remove_prefix(1);
  }
  return std::string(cut) + harmless(value);
}

}  // namespace

event_ring::event_ring(std::string boot, std::size_t capacity)
    : boot_(std::move(boot)), capacity_(capacity) {
  // nop
}

void event_ring::append(wall_time at, std::string_view name,
                        std::initializer_list<log_field> fields) {
  auto made = std::make_shared<event>();
  made->at = at;
  made->name = name;
  for (const auto& field : fields)
    made->fields.emplace_back(field.key, bounded(field.value));
  const std::lock_guard guard(mutex_);
  made->number = ++last_;
  kept_.push_back(std::move(made));
  if (kept_.size() > capacity_)
    kept_.pop_front();
}

std::uint64_t event_ring::last() const {
  const std::lock_guard guard(mutex_);
  return last_;
}

event_batch event_ring::behind(std::uint64_t after, std::size_t most) const {
  const std::lock_guard guard(mutex_);
  const auto gone = last_ - kept_.size();
  const auto skipped = after > gone ? std::min<std::uint64_t>(after - gone, kept_.size()) : 0;
  const auto first = kept_.begin() + static_cast<std::ptrdiff_t>(skipped);
  const auto count = std::min<std::size_t>(most, kept_.size() - skipped);
  return {.complete = after >= gone, .events = {first, first + static_cast<std::ptrdiff_t>(count)}};
}

bool is_fleet_event(std::string_view name) {
  return std::binary_search(fleet_events.begin(), fleet_events.end(), name);
}

void event_log::write(log_level level, std::string_view name,
                      std::initializer_list<log_field> fields) {
  next_.write(level, name, fields);
  if (is_fleet_event(name))
    into_.append(now_(), name, fields);
}

}  // namespace fleet::http
