// SPDX-License-Identifier: MIT
#include "metrics.hpp"

#include <utility>

namespace fleet::http {

namespace buckets {

const prometheus::Histogram::BucketBoundaries first_byte{
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};
const prometheus::Histogram::BucketBoundaries whole{0.05, 0.1, 0.25, 0.5, 1,   2.5,  5,   10,
                                                    30,   60,  120,  300, 600, 1800, 3600};
const prometheus::Histogram::BucketBoundaries piece_gap{
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 10};
const prometheus::Histogram::BucketBoundaries added{0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001,
                                                    0.002,   0.005,   0.01,   0.05,   0.25};
const prometheus::Histogram::BucketBoundaries probe{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,   0.25,   0.5,   1,    2.5,   5};
const prometheus::Histogram::BucketBoundaries launch{1,  2.5, 5,   10,  20,   30,
                                                     60, 120, 300, 600, 1200, 1800};
const prometheus::Histogram::BucketBoundaries drain{0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600};

}  // namespace buckets

std::size_t turn_route(std::string_view target) {
  constexpr std::string_view root = "/v1/";
  constexpr std::array<std::string_view, turn_routes.size() - 1> paths{
      "chat/completions", "completions", "embeddings", "models"};
  if (!target.starts_with(root)) {
    return paths.size();
  }
  target.remove_prefix(root.size());
  std::size_t place = 0;
  for (const auto path : paths) {
    // Not by path_of(): to look for a query costs more than all the rest of this.
    if (target.starts_with(path) && (target.size() == path.size() || target[path.size()] == '?' ||
                                     target[path.size()] == '#')) {
      break;
    }
    ++place;
  }
  return place;
}

std::size_t code_class(int status) {
  const auto hundreds = status / 100;
  return status == 0                      ? 0
         : hundreds >= 2 && hundreds <= 5 ? static_cast<std::size_t>(hundreds - 1)
                                          : 5;
}

replica_meter::replica_meter(std::string replica)
    : name(std::move(replica)),
      first_byte(buckets::first_byte),
      whole(buckets::whole),
      piece_gap(buckets::piece_gap) {}

lane_meter::lane_meter() : added(buckets::added), probe_time(buckets::probe) {}

void lane_meter::probed(std::size_t outcome, std::chrono::nanoseconds time) {
  probes[outcome].Increment();
  probe_time.observe(std::chrono::duration<double>(time).count());
}

std::shared_ptr<replica_meter> lane_meter::of(const std::string& replica) {
  const std::lock_guard lock(mutex_);
  auto& found = replicas_[replica];
  if (!found) {
    found = std::make_shared<replica_meter>(replica);
  }
  return found;
}

std::shared_ptr<const replica_meter> lane_meter::find(const std::string& replica) const {
  const std::lock_guard lock(mutex_);
  const auto found = replicas_.find(replica);
  return found == replicas_.end() ? nullptr : found->second;
}

void lane_meter::forget_unless(const std::function<bool(const std::string&)>& there) {
  const std::lock_guard lock(mutex_);
  std::erase_if(replicas_, [&](const auto& item) {
    return item.second.use_count() == 1 && !there(item.first);
  });
}

}  // namespace fleet::http
