// SPDX-License-Identifier: MIT
#pragma once

#include <prometheus/metric_family.h>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::http {

using metric_families = std::vector<prometheus::MetricFamily>;

/// In the text format of Prometheus, version 0.0.4.
inline constexpr std::string_view prometheus_type = "text/plain; version=0.0.4; charset=utf-8";
[[nodiscard]] std::string prometheus_text(const metric_families& families);

/// In OpenMetrics, version 1.0.0, which the library does not write: counters (whose families are
/// named `..._total` here), gauges and histograms.
inline constexpr std::string_view openmetrics_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";
[[nodiscard]] std::string openmetrics_text(const metric_families& families);

/// Whether this Accept field would rather have OpenMetrics than the older text. RFC 9110 12.5.1;
/// who does not name OpenMetrics does not want it.
[[nodiscard]] bool wants_openmetrics(std::string_view accept);

}  // namespace fleet::http
