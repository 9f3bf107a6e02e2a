// SPDX-License-Identifier: MIT
#include "metrics_families.hpp"

#include "metrics_fleet.hpp"

#include "fleet/core/slot_life.hpp"
#include "fleet/http/access_log.hpp"
#include "fleet/http/fleet_tally.hpp"

#include <algorithm>
#include <utility>

namespace fleet::http {

namespace {

using prometheus::ClientMetric;
using prometheus::Counter;
using prometheus::MetricFamily;
using prometheus::MetricType;
using labels = std::vector<ClientMetric::Label>;

const std::string prefix = "pypto_router_";

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

labels label(std::string_view name, std::string_view value) {
  return {{std::string(name), std::string(value)}};
}

/// One family that grows by its series.
class family {
 public:
  family(metric_families& all, std::string name, std::string help, MetricType type)
      : made_(all.emplace_back(MetricFamily{std::move(name), std::move(help), type, {}})) {}

  family& add(labels of, double value) {
    auto& metric = made_.metric.emplace_back();
    metric.label = std::move(of);
    (made_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    return *this;
  }
  family& add(labels of, ClientMetric metric) {
    metric.label = std::move(of);
    made_.metric.push_back(std::move(metric));
    return *this;
  }

 private:
  MetricFamily& made_;
};

family counter(metric_families& all, const std::string& name, std::string help) {
  return {all, prefix + name + "_total", std::move(help), MetricType::Counter};
}

family gauge(metric_families& all, const std::string& name, std::string help) {
  return {all, prefix + name, std::move(help), MetricType::Gauge};
}

family histogram(metric_families& all, const std::string& name, std::string help) {
  return {all, prefix + name + "_seconds", std::move(help), MetricType::Histogram};
}

/// What all lanes have counted in one place.
class sums {
 public:
  explicit sums(const std::vector<lane_sample>& lanes) : lanes_(lanes) {}

  template <class Pick>
  [[nodiscard]] double of(Pick pick) const {
    double sum = 0;
    for (const auto& lane : lanes_) {
      sum += pick(*lane.meter).Value();
    }
    return sum;
  }

  template <class Pick>
  [[nodiscard]] ClientMetric spread(Pick pick) const {
    ClientMetric sum;
    for (const auto& lane : lanes_) {
      add(sum, pick(*lane.meter).collect());
    }
    return sum;
  }

  static void add(ClientMetric& sum, ClientMetric more) {
    auto& into = sum.histogram;
    into.sample_count += more.histogram.sample_count;
    into.sample_sum += more.histogram.sample_sum;
    if (into.bucket.empty()) {
      into.bucket = std::move(more.histogram.bucket);
      return;
    }
    for (std::size_t i = 0; i < into.bucket.size(); ++i) {
      into.bucket[i].cumulative_count += more.histogram.bucket[i].cumulative_count;
    }
  }

 private:
  const std::vector<lane_sample>& lanes_;
};

/// A replica of the table, with what the lanes have counted of it.
struct replica_row {
  const replica_view* view;
  std::uint64_t outstanding;
  std::vector<std::shared_ptr<const replica_meter>> meters;

  template <class Pick>
  [[nodiscard]] double sum(Pick pick) const {
    double total = 0;
    for (const auto& meter : meters) {
      total += pick(*meter).Value();
    }
    return total;
  }
};

/// One for each name: should two instances of one name stand in the table, the later one counts.
std::vector<replica_row> rows_of(const router_sample& sample) {
  std::vector<replica_row> rows;
  std::map<std::string_view, std::size_t> places;
  for (const auto& replica : sample.fleet.replicas) {
    const auto [found, fresh] = places.try_emplace(replica.name, rows.size());
    if (!fresh) {
      rows[found->second].view = &replica;
      rows[found->second].outstanding += replica.outstanding;
      continue;
    }
    auto& row = rows.emplace_back(replica_row{&replica, replica.outstanding, {}});
    for (const auto& lane : sample.lanes) {
      if (auto meter = lane.meter->find(replica.name)) {
        row.meters.push_back(std::move(meter));
      }
    }
  }
  return rows;
}

void add_turns(family& into, std::string_view replica, const auto& value_of) {
  for (std::size_t route = 0; route < turn_routes.size(); ++route) {
    for (std::size_t code = 0; code < code_classes.size(); ++code) {
      into.add({{"route", std::string(turn_routes[route])},
                {"code", std::string(code_classes[code])},
                {"replica", std::string(replica)}},
               value_of(route, code));
    }
  }
}

void add_turns(metric_families& all, const std::vector<replica_row>& rows, const sums& lanes) {
  auto turns =
      counter(all, "turns",
              "Turns ended, by route, class of the status that the client got and replica; "
              "without a replica those that none took.");
  for (const auto& row : rows) {
    add_turns(turns, row.view->name, [&](std::size_t route, std::size_t code) {
      return row.sum(
          [&](const replica_meter& m) -> const Counter& { return m.turns[route][code]; });
    });
  }
  add_turns(turns, "", [&](std::size_t route, std::size_t code) {
    return lanes.of(
        [&](const lane_meter& m) -> const Counter& { return m.unplaced.turns[route][code]; });
  });
}

template <class Pick>
void add_counts(metric_families& all, const std::vector<replica_row>& rows, const std::string& name,
                std::string help, Pick pick) {
  auto into = counter(all, name, std::move(help));
  for (const auto& row : rows) {
    into.add(label("replica", row.view->name), row.sum(pick));
  }
}

template <class Pick>
void add_spread(metric_families& all, const std::vector<replica_row>& rows, const std::string& name,
                std::string help, const std::vector<double>& bounds, Pick pick) {
  auto into = histogram(all, name, std::move(help));
  for (const auto& row : rows) {
    auto sum = lane_histogram(bounds).collect();
    for (const auto& meter : row.meters) {
      sums::add(sum, pick(*meter).collect());
    }
    into.add(label("replica", row.view->name), std::move(sum));
  }
}

void add_failures(metric_families& all, const std::vector<replica_row>& rows, const sums& lanes) {
  auto failures = counter(all, "upstream_failures", "Turns that a replica failed, by kind.");
  for (const auto& row : rows) {
    for (std::size_t kind = 0; kind < upstream_failures.size(); ++kind) {
      failures.add(
          {{"replica", row.view->name}, {"kind", std::string(upstream_failures[kind])}},
          row.sum([&](const replica_meter& m) -> const Counter& { return m.failures[kind]; }));
    }
  }
  add_counts(all, rows, "failovers", "Turns that went on to another replica.",
             [](const replica_meter& m) -> const Counter& { return m.failovers; });
  add_counts(all, rows, "truncations", "Answers cut short by the replica or by --request-timeout.",
             [](const replica_meter& m) -> const Counter& { return m.truncations; });
  auto aborts = counter(all, "client_aborts", "Turns whose client left before their end.");
  for (const auto& row : rows) {
    aborts.add(label("replica", row.view->name),
               row.sum([](const replica_meter& m) -> const Counter& { return m.client_aborts; }));
  }
  aborts.add(label("replica", ""), lanes.of([](const lane_meter& m) -> const Counter& {
    return m.unplaced.client_aborts;
  }));
}

void add_times(metric_families& all, const std::vector<replica_row>& rows, const sums& lanes) {
  add_spread(all, rows, "first_byte", "From a request sent to the head of the replica's answer.",
             buckets::first_byte,
             [](const replica_meter& m) -> const lane_histogram& { return m.first_byte; });
  add_spread(all, rows, "turn", "From a whole request to the end of its answer.", buckets::whole,
             [](const replica_meter& m) -> const lane_histogram& { return m.whole; });
  add_spread(all, rows, "piece_gap",
             "Between two pieces of an answer whose length was not told beforehand.",
             buckets::piece_gap,
             [](const replica_meter& m) -> const lane_histogram& { return m.piece_gap; });
  histogram(all, "added",
            "What the router itself adds to a turn: from the whole request to its sending, "
            "without connecting, and from the answer's head to its passing on.")
      .add({}, lanes.spread([](const lane_meter& m) -> const lane_histogram& { return m.added; }));
}

void add_routing(metric_families& all, const sums& lanes, const fleet_view& fleet) {
  auto affinity = counter(all, "affinity",
                          "Turns by how their replica was chosen: by their pin (hit), away from a "
                          "pin that lagged by more than the slack or could take no turn, without "
                          "one: the session had none (miss), it had expired, the session is new, "
                          "there is no session.");
  for (std::size_t i = 0; i < affinity_outcomes.size(); ++i) {
    affinity.add(label("outcome", affinity_outcomes[i]),
                 lanes.of([i](const lane_meter& m) -> const Counter& { return m.affinities[i]; }));
  }
  auto refusals = counter(all, "refusals", "Errors that the router itself answered turns with.");
  for (std::size_t i = 0; i < refusal_codes.size(); ++i) {
    refusals.add(label("reason", refusal_codes[i]),
                 lanes.of([i](const lane_meter& m) -> const Counter& { return m.refusals[i]; }));
  }
  counter(all, "rejected", "Turns refused because no replica was routable.")
      .add({}, number(fleet.rejected));
  gauge(all, "pins", "Conversations that are pinned to a replica.").add({}, number(fleet.sessions));
  counter(all, "pin_evictions", "Pins that ended: too old, too many, their replica drained.")
      .add(label("cause", "expired"), number(fleet.ended.expired))
      .add(label("cause", "capacity"), number(fleet.ended.evicted))
      .add(label("cause", "replica"), number(fleet.ended.released));
}

void add_replicas(metric_families& all, const std::vector<replica_row>& rows) {
  auto outstanding = gauge(all, "outstanding_turns", "Turns under way at a replica.");
  for (const auto& row : rows) {
    outstanding.add(label("replica", row.view->name), number(row.outstanding));
  }
  auto phases = gauge(all, "replica_phase", "1 for the phase that a replica is in.");
  for (const auto& row : rows) {
    for (const auto each : {phase::starting, phase::ready, phase::draining, phase::failed}) {
      phases.add({{"replica", row.view->name}, {"phase", to_string(each)}},
                 row.view->now == each ? 1 : 0);
    }
  }
}

void add_pool(metric_families& all, const pool_view& pool) {
  auto stages = gauge(all, "slots", "Declared slots by stage.");
  for (std::size_t i = 0; i < slot_stages; ++i) {
    const auto stage = static_cast<slot_stage>(i);
    stages.add(label("stage", to_string(stage)),
               number(static_cast<std::uint64_t>(
                   std::count_if(pool.slots.begin(), pool.slots.end(),
                                 [stage](const slot_view& slot) { return slot.now == stage; }))));
  }
  gauge(all, "unconfirmed_slots", "Slots whose devices may be held; a human has to look.")
      .add({}, number(pool.capacity.unconfirmed.size()));
  gauge(all, "abandoned_slots", "Slots that lost too many replicas; a human has to look.")
      .add({}, number(pool.capacity.abandoned.size()));
}

void add_lanes(metric_families& all, const std::vector<lane_sample>& samples, const sums& lanes) {
  auto probes = counter(all, "probes", "Probes by outcome.");
  for (std::size_t i = 0; i < probe_outcomes.size(); ++i) {
    probes.add(label("outcome", probe_outcomes[i]),
               lanes.of([i](const lane_meter& m) -> const Counter& { return m.probes[i]; }));
  }
  histogram(all, "probe", "How long probes took.")
      .add({},
           lanes.spread([](const lane_meter& m) -> const lane_histogram& { return m.probe_time; }));
  std::uint64_t clients = 0;
  std::uint64_t pooled = 0;
  for (const auto& lane : samples) {
    clients += lane.clients;
    pooled += lane.pooled;
  }
  gauge(all, "client_connections", "Open connections of clients.").add({}, number(clients));
  gauge(all, "pooled_connections", "Idle connections to replicas.").add({}, number(pooled));
  auto busy = counter(all, "lane_busy_seconds", "Processor time of each lane's thread.");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    busy.add(label("lane", std::to_string(i)), seconds(samples[i].busy));
  }
}

void add_fleet(metric_families& all, const tally_counts& tally) {
  auto launches =
      counter(all, "launches", "Launches that ended, by whether the replica got ready.");
  for (std::size_t i = 0; i < launch_outcomes.size(); ++i) {
    launches.add(label("outcome", launch_outcomes[i]), tally.launches[i].Value());
  }
  histogram(all, "launch", "From a launch to a ready replica.")
      .add({}, tally.launch_time.Collect());
  counter(all, "losses", "Launched replicas that died.").add({}, tally.losses.Value());
  counter(all, "abandonments", "Slots given up after too many losses.")
      .add({}, tally.abandonments.Value());
  counter(all, "unconfirmed_stops", "Stops that nobody could confirm.")
      .add({}, tally.unconfirmed.Value());
  auto drains = counter(all, "drains", "Drains that ended, by what ended them.");
  for (std::size_t i = 0; i < drain_ends.size(); ++i) {
    drains.add(label("end", drain_ends[i]), tally.drains[i].Value());
  }
  histogram(all, "drain", "How long drains took.").add({}, tally.drain_time.Collect());
}

void add_access_log(metric_families& all, const access_log& log) {
  counter(all, "access_log_lines", "Lines written.").add({}, number(log.written()));
  counter(all, "access_log_dropped", "Lines lost to a slow or full disk.")
      .add({}, number(log.dropped()));
}

/// Under the names that every exporter has them.
void add_process(metric_families& all, const process_sample& process) {
  const auto plain = [&](std::string name, std::string help, double value) {
    family(all, std::move(name), std::move(help), MetricType::Gauge).add({}, value);
  };
  family(all, "process_cpu_seconds_total", "Processor time, user and system.", MetricType::Counter)
      .add({}, seconds(process.processor));
  plain("process_open_fds", "Open file descriptors.", number(process.open_files));
  plain("process_max_fds", "Most file descriptors.", number(process.most_files));
  plain("process_resident_memory_bytes", "Resident memory.", number(process.resident_bytes));
  plain("process_start_time_seconds", "Start since the Unix epoch.",
        std::chrono::duration<double>(process.started.time_since_epoch()).count());
}

}  // namespace

metric_families families_of(const router_sample& sample) {
  metric_families all;
  const auto rows = rows_of(sample);
  const sums lanes(sample.lanes);
  gauge(all, "build_info", "1, with the version of the router.")
      .add(label("version", sample.version), 1);
  add_turns(all, rows, lanes);
  add_routing(all, lanes, sample.fleet);
  add_times(all, rows, lanes);
  add_failures(all, rows, lanes);
  add_replicas(all, rows);
  add_pool(all, sample.pool);
  add_lanes(all, sample.lanes, lanes);
  if (sample.observers.tally != nullptr) {
    add_fleet(all, sample.observers.tally->counts());
  }
  if (sample.observers.access != nullptr) {
    add_access_log(all, *sample.observers.access);
  }
  add_process(all, sample.process);
  return all;
}

}  // namespace fleet::http
