// SPDX-License-Identifier: MIT
#include "metrics_text.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace fleet::http;
using prometheus::ClientMetric;
using prometheus::MetricType;

namespace {

metric_families one_of_each() {
  ClientMetric turns;
  turns.label = {{"replica", "a\"b\\c\nd"}, {"code", "2xx"}};
  turns.counter.value = 3;
  ClientMetric pins;
  pins.gauge.value = 0.5;
  ClientMetric times;
  times.histogram.sample_count = 2;
  times.histogram.sample_sum = 7.25;
  times.histogram.bucket = {{1, 0.00002}, {1, 5}, {2, std::numeric_limits<double>::infinity()}};
  return {{"x_turns_total", "Turns.", MetricType::Counter, {turns}},
          {"x_pins", "Pins,\nlive.", MetricType::Gauge, {pins}},
          {"x_turn_seconds", "Times.", MetricType::Histogram, {times}}};
}

}  // namespace

TEST_CASE("OpenMetrics names a counter's family without _total, and ends with # EOF") {
  CHECK(openmetrics_text(one_of_each()) ==
        "# TYPE x_turns counter\n"
        "# HELP x_turns Turns.\n"
        "x_turns_total{replica=\"a\\\"b\\\\c\\nd\",code=\"2xx\"} 3\n"
        "# TYPE x_pins gauge\n"
        "# HELP x_pins Pins,\\nlive.\n"
        "x_pins 0.5\n"
        "# TYPE x_turn_seconds histogram\n"
        "# HELP x_turn_seconds Times.\n"
        "x_turn_seconds_bucket{le=\"2e-05\"} 1\n"
        "x_turn_seconds_bucket{le=\"5.0\"} 1\n"
        "x_turn_seconds_bucket{le=\"+Inf\"} 2\n"
        "x_turn_seconds_count 2\n"
        "x_turn_seconds_sum 7.25\n"
        "# EOF\n");
}

TEST_CASE("the older text has the whole name of a counter") {
  const auto text = prometheus_text(one_of_each());
  CHECK(text.find("# TYPE x_turns_total counter\n") != std::string::npos);
  CHECK(text.find("x_turns_total{replica=\"a\\\"b\\\\c\\nd\",code=\"2xx\"} 3\n") !=
        std::string::npos);
  CHECK(text.find("# EOF") == std::string::npos);
}

TEST_CASE("OpenMetrics goes to who asks for it, and would not rather have the older text") {
  // What Prometheus 2.42 sends.
  CHECK(
      wants_openmetrics("application/openmetrics-text;version=1.0.0,"
                        "application/openmetrics-text;version=0.0.1;q=0.75,"
                        "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
  CHECK(wants_openmetrics("Application/OpenMetrics-Text"));
  CHECK(wants_openmetrics("text/plain;q=0.3, application/openmetrics-text ; q=0.7"));
  CHECK(!wants_openmetrics("text/plain, application/openmetrics-text;q=0.5"));
  CHECK(!wants_openmetrics("application/openmetrics-text;q=0"));
  CHECK(!wants_openmetrics("application/openmetrics-text; q=oh"));
  CHECK(!wants_openmetrics("*/*"));
  CHECK(!wants_openmetrics(""));
  CHECK(!wants_openmetrics(",;,;q=,"));
}
