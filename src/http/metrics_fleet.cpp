// SPDX-License-Identifier: MIT
#include "metrics_fleet.hpp"

#include "metrics.hpp"

#include "fleet/http/fleet_tally.hpp"

#include <algorithm>
#include <charconv>

namespace fleet::http {

namespace {

using fields = std::initializer_list<log_field>;

std::string_view value_of(fields from, std::string_view key) {
  const auto found =
      std::find_if(from.begin(), from.end(), [key](const log_field& f) { return f.key == key; });
  return found == from.end() ? std::string_view{} : std::string_view(found->value);
}

void begin_launch(tally_counts& counts, fields line) {
  const std::lock_guard lock(counts.mutex);
  counts.launching.insert_or_assign(std::string(value_of(line, "replica")),
                                    std::chrono::steady_clock::now());
}

/// The slot launches no more, whatever came of it.
auto end_launch(tally_counts& counts, std::string_view slot) {
  const std::lock_guard lock(counts.mutex);
  return counts.launching.extract(std::string(slot));
}

/// Of what was not launched by this process, or is back, nothing counts.
void got_ready(tally_counts& counts, std::string_view replica) {
  if (const auto launch = end_launch(counts, replica)) {
    const auto took = std::chrono::steady_clock::now() - launch.mapped();
    counts.launches[launch_ready].Increment();
    counts.launch_time.Observe(std::chrono::duration<double>(took).count());
  }
}

void end_drain(tally_counts& counts, fields line) {
  const auto end = std::find(drain_ends.begin(), drain_ends.end(), value_of(line, "ended"));
  if (end == drain_ends.end()) {
    return;
  }
  counts.drains[static_cast<std::size_t>(end - drain_ends.begin())].Increment();
  const auto after = value_of(line, "after");
  double seconds = 0;
  std::from_chars(after.data(), after.data() + after.size(), seconds);
  counts.drain_time.Observe(seconds);
}

void count(tally_counts& counts, std::string_view event, fields line) {
  if (event == "replica_launching") {
    begin_launch(counts, line);
  } else if (event == "replica_phase" && value_of(line, "phase") == "ready") {
    got_ready(counts, value_of(line, "replica"));
  } else if (event == "launch_failed") {
    // Also of one that was refused before anything was spawned: its address was in use.
    end_launch(counts, value_of(line, "slot"));
    counts.launches[launch_failed].Increment();
  } else if (event == "replica_stopped") {
    end_launch(counts, value_of(line, "replica"));
  } else if (event == "replica_lost") {
    counts.losses.Increment();
  } else if (event == "slot_abandoned") {
    counts.abandonments.Increment();
  } else if (event == "stop_unconfirmed") {
    counts.unconfirmed.Increment();
  } else if (event == "replica_drained") {
    end_drain(counts, line);
  }
}

}  // namespace

tally_counts::tally_counts() : launch_time(buckets::launch), drain_time(buckets::drain) {}

fleet_tally::fleet_tally(logger& next) : next_(next), counts_(std::make_unique<tally_counts>()) {}

fleet_tally::~fleet_tally() = default;

void fleet_tally::write(log_level level, std::string_view event,
                        std::initializer_list<log_field> fields) {
  count(*counts_, event, fields);
  next_.write(level, event, fields);
}

}  // namespace fleet::http
