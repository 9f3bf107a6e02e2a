// SPDX-License-Identifier: MIT
#include "lane_histogram.hpp"

#include <doctest/doctest.h>

#include <prometheus/histogram.h>

using fleet::http::lane_histogram;

TEST_CASE("a lane's histogram counts as that of prometheus-cpp does") {
  const std::vector<double> bounds{0.1, 0.5, 2};
  lane_histogram ours(bounds);
  prometheus::Histogram theirs(bounds);
  for (const double value : {0.0, 0.1, 0.1000001, 0.5, 1.0, 2.0, 2.1, 1e9}) {
    ours.observe(value);
    theirs.Observe(value);
    const auto left = ours.collect().histogram;
    const auto right = theirs.Collect().histogram;
    CAPTURE(value);
    CHECK(left.sample_count == right.sample_count);
    CHECK(left.sample_sum == right.sample_sum);
    REQUIRE(left.bucket.size() == right.bucket.size());
    for (std::size_t i = 0; i < left.bucket.size(); ++i) {
      CHECK(left.bucket[i].cumulative_count == right.bucket[i].cumulative_count);
      CHECK(left.bucket[i].upper_bound == right.bucket[i].upper_bound);
    }
  }
}
