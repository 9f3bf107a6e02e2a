// SPDX-License-Identifier: MIT
#include "metrics_text.hpp"

#include "fleet/core/header_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <prometheus/text_serializer.h>
#include <sstream>
#include <utility>

namespace fleet::http {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out.append(std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return;
  }
  std::array<char, 400> text{};
  const auto [end, _] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  out.append(text.data(), end);
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out.append("\\n");
    } else {
      out.append(c == '\\' || c == '"' ? 1 : 0, '\\').push_back(c);
    }
  }
}

void append_sample(std::string& out, std::string_view name, std::string_view suffix,
                   const ClientMetric& metric, double value, std::string_view le = {}) {
  out.append(name).append(suffix);
  char before = '{';
  const auto label = [&](std::string_view key, std::string_view text) {
    out.append(1, std::exchange(before, ',')).append(key).append("=\"");
    append_escaped(out, text);
    out.push_back('"');
  };
  for (const auto& each : metric.label) {
    label(each.name, each.value);
  }
  if (!le.empty()) {
    label("le", le);
  }
  out.append(before == '{' ? " " : "} ");
  append_number(out, value);
  out.push_back('\n');
}

/// As the library writes it, but that its canonical form has a point.
std::string bound(double value) {
  if (!std::isfinite(value)) {
    return "+Inf";
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  const std::string_view digits(text.data());
  const bool whole = digits.find_first_not_of("0123456789") == std::string_view::npos;
  return std::string(digits) + (whole ? ".0" : "");
}

void append_histogram(std::string& out, std::string_view name, const ClientMetric& metric) {
  const auto& values = metric.histogram;
  for (const auto& bucket : values.bucket) {
    append_sample(out, name, "_bucket", metric, static_cast<double>(bucket.cumulative_count),
                  bound(bucket.upper_bound));
  }
  append_sample(out, name, "_count", metric, static_cast<double>(values.sample_count));
  append_sample(out, name, "_sum", metric, values.sample_sum);
}

void append_family(std::string& out, const MetricFamily& family) {
  constexpr std::string_view total = "_total";
  std::string_view name = family.name;
  const bool counts = family.type == MetricType::Counter;
  if (counts && name.ends_with(total)) {
    name.remove_suffix(total.size());
  }
  const bool spreads = family.type == MetricType::Histogram;
  out.append("# TYPE ").append(name).append(counts    ? " counter\n"
                                            : spreads ? " histogram\n"
                                                      : " gauge\n");
  out.append("# HELP ").append(name).append(" ");
  append_escaped(out, family.help);
  out.push_back('\n');
  for (const auto& metric : family.metric) {
    if (spreads) {
      append_histogram(out, name, metric);
    } else if (counts) {
      append_sample(out, name, total, metric, metric.counter.value);
    } else {
      append_sample(out, name, {}, metric, metric.gauge.value);
    }
  }
}

/// The weight of one element of an Accept field, from 0 to 1.
double weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto part = parameters.substr(0, parameters.find(';'));
    parameters.remove_prefix(std::min(part.size() + 1, parameters.size()));
    const auto begin = part.find_first_not_of(" \t");
    if (begin != std::string_view::npos && same_token(part.substr(begin, 2), "q=")) {
      double weight = 0;
      std::from_chars(part.data() + begin + 2, part.data() + part.size(), weight);
      return weight;
    }
  }
  return 1;
}

}  // namespace

std::string prometheus_text(const metric_families& families) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

std::string openmetrics_text(const metric_families& families) {
  std::string out;
  for (const auto& family : families) {
    append_family(out, family);
  }
  return out.append("# EOF\n");
}

bool wants_openmetrics(std::string_view accept) {
  double open = 0;
  double plain = 0;
  while (!accept.empty()) {
    const auto element = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(element.size() + 1, accept.size()));
    const auto semicolon = std::min(element.find(';'), element.size());
    auto type = element.substr(0, semicolon);
    type.remove_prefix(std::min(type.find_first_not_of(" \t"), type.size()));
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    auto& best = same_token(type, "application/openmetrics-text") ? open : plain;
    if (&best == &open || same_token(type, "text/plain")) {
      best = std::max(best, weight_of(element.substr(semicolon)));
    }
  }
  return open > 0 && open >= plain;
}

}  // namespace fleet::http
