// SPDX-License-Identifier: MIT
// What is counted while turns run, for GET /metrics. Each lane has counts of its own, so that lanes
// share no cache line and no lock; a scrape adds them up. Every label is of a bounded set: no
// client can add a series.
#pragma once

#include "lane_histogram.hpp"

#include "fleet/core/turn.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <string>
#include <string_view>

namespace fleet::http {

/// The `route` of a turn.
inline constexpr std::array<std::string_view, 5> turn_routes{"chat_completions", "completions",
                                                             "embeddings", "models", "other"};
/// The place of a request's target in turn_routes, whatever its query.
[[nodiscard]] std::size_t turn_route(std::string_view target);

/// The `code` of a turn: the class of the status that the client got; none: it got no answer.
inline constexpr std::array<std::string_view, 6> code_classes{"none", "2xx", "3xx",
                                                              "4xx",  "5xx", "other"};
/// The place of a status in code_classes; 0: there was no answer.
[[nodiscard]] std::size_t code_class(int status);

/// How a replica failed a turn.
enum class upstream_failure : std::uint8_t {
  connect,     ///< no connection, no byte sent
  no_answer,   ///< it closed the connection before it answered
  bad_answer,  ///< no HTTP, or a head that is too large
  broke_off,   ///< inside its answer
  timeout,     ///< --request-timeout was over
};
inline constexpr std::array<std::string_view, 5> upstream_failures{
    "connect", "no_answer", "bad_answer", "broke_off", "timeout"};

/// The outcome of a turn's choice of a replica, by the places of `affinity`. The last one: of the
/// misses those whose session id the router made up.
inline constexpr std::array<std::string_view, 7> affinity_outcomes{
    "none", "miss", "hit", "moved_slack", "moved_loss", "expired", "new"};
inline constexpr std::size_t new_session = affinity_outcomes.size() - 1;

/// The outcome of a probe, by the places of `probe_verdict` of the actors.
inline constexpr std::array<std::string_view, 4> probe_outcomes{"good", "bad", "silent",
                                                                "inconclusive"};

/// The codes of the errors that a turn's client gets from the router itself; `other` comes last.
inline constexpr std::array<std::string_view, 16> refusal_codes{
    "bad_request",         "not_found",
    "method_not_allowed",  "header_timeout",
    "body_timeout",        "body_too_large",
    "header_too_large",    "connect_failed",
    "replica_failed",      "bad_replica_response",
    "no_replica",          "shutting_down",
    "overloaded",          "timeout",
    "unsupported_version", "other"};

/// What one lane counts of the turns at one replica. Counts by the lane, reads by any thread.
struct replica_meter {
  explicit replica_meter(std::string replica);

  const std::string name;  ///< empty: of turns that no replica took
  std::array<std::array<prometheus::Counter, code_classes.size()>, turn_routes.size()> turns;
  std::array<prometheus::Counter, upstream_failures.size()> failures;
  prometheus::Counter client_aborts;
  prometheus::Counter failovers;    ///< turns that went on to another replica
  prometheus::Counter truncations;  ///< answers cut short by the replica or the time limit
  lane_histogram first_byte;
  lane_histogram whole;
  lane_histogram piece_gap;
};

/// What one lane counts. Counts by the lane, reads by any thread.
class lane_meter {
 public:
  lane_meter();

  replica_meter unplaced{""};
  std::array<prometheus::Counter, affinity_outcomes.size()> affinities;
  std::array<prometheus::Counter, refusal_codes.size()> refusals;
  lane_histogram added;  ///< see turn_record
  std::array<prometheus::Counter, probe_outcomes.size()> probes;
  lane_histogram probe_time;

  void probed(std::size_t outcome, std::chrono::nanoseconds time);

  /// The counts of a replica of this name, from zero where there are none. Not once per turn: a
  /// lane keeps them with what else it knows of the replica.
  [[nodiscard]] std::shared_ptr<replica_meter> of(const std::string& replica);
  /// The same; nullptr where there are none.
  [[nodiscard]] std::shared_ptr<const replica_meter> find(const std::string& replica) const;
  /// Drops the counts that nobody holds of replicas that are not `there` any more.
  void forget_unless(const std::function<bool(const std::string&)>& there);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<replica_meter>> replicas_;
};

/// Bounds of the buckets, in seconds.
namespace buckets {
extern const prometheus::Histogram::BucketBoundaries first_byte;
extern const prometheus::Histogram::BucketBoundaries whole;
extern const prometheus::Histogram::BucketBoundaries piece_gap;
extern const prometheus::Histogram::BucketBoundaries added;
extern const prometheus::Histogram::BucketBoundaries probe;
extern const prometheus::Histogram::BucketBoundaries launch;
extern const prometheus::Histogram::BucketBoundaries drain;
}  // namespace buckets

}  // namespace fleet::http
