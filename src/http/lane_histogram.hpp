// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <prometheus/client_metric.h>
#include <vector>

namespace fleet::http {

/// A histogram that one thread fills and any thread reads. That of prometheus-cpp takes a lock for
/// each value, which was most of what the metrics cost a turn. A reader may see a value's bucket
/// before its sum.
class lane_histogram {
 public:
  /// `bounds`: upper ones, rising; they outlive it.
  explicit lane_histogram(const std::vector<double>& bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    auto& count = counts_[static_cast<std::size_t>(bucket)];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    sum_.store(sum_.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }

  [[nodiscard]] prometheus::ClientMetric collect() const {
    prometheus::ClientMetric out;
    auto& into = out.histogram;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      into.sample_count += counts_[i].load(std::memory_order_relaxed);
      into.bucket.push_back({into.sample_count, i < bounds_.size()
                                                    ? bounds_[i]
                                                    : std::numeric_limits<double>::infinity()});
    }
    into.sample_sum = sum_.load(std::memory_order_relaxed);
    return out;
  }

 private:
  const std::vector<double>& bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0};
};

}  // namespace fleet::http
