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
  counts.launching.try_emplace(std::string(value_of(line, "replica")),
                               std::chrono::steady_clock::now());
}

/// `outcome`: a place in launch_outcomes. Of what was not launched by this process nothing counts.
void end_launch(tally_counts& counts, std::string_view slot, std::size_t outcome) {
  const std::lock_guard lock(counts.mutex);
  const auto launch = counts.launching.extract(std::string(slot));
  if (!launch) {
    return;
  }
  counts.launches[outcome].Increment();
  if (outcome == 0) {
    const auto took = std::chrono::steady_clock::now() - launch.mapped();
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
  if (event == "replica_launching" || event == "replica_launched") {
    begin_launch(counts, line);
  } else if (event == "replica_phase" && value_of(line, "phase") == "ready") {
    end_launch(counts, value_of(line, "replica"), 0);
  } else if (event == "launch_failed") {
    end_launch(counts, value_of(line, "slot"), 1);
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
