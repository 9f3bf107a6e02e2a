// SPDX-License-Identifier: MIT
#pragma once

#include "metrics.hpp"
#include "net.hpp"

#include "fleet/core/turn.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace fleet::http {

class access_log;
struct client_request;

/// What is known of one turn, from its request to its end, for the metrics and the access log. Told
/// by the connection and the exchange that serve it; counted once, by end(). Belongs to one lane.
class turn_record {
 public:
  using time_point = steady_clock::time_point;

  /// The request is here, or cannot be taken; `body`: bytes of it.
  void begin(std::size_t body) {
    began_ = steady_clock::now();
    bytes_in_ = body;
  }
  /// A ticket was given; the last one counts, as the client is told.
  void ticket(affinity how) { how_ = how; }
  /// From now on this replica has it.
  void at(const std::shared_ptr<replica_meter>& replica) { replica_ = replica; }
  /// It goes on to another replica.
  void moved_on() { replica_->failovers.Increment(); }
  void connecting() { connecting_since_ = steady_clock::now(); }
  void connected() { connecting_ += steady_clock::now() - connecting_since_; }
  /// The request goes out to the replica.
  void sending() { sent_ = steady_clock::now(); }
  /// The head of the final answer is here. `streamed`: its length was not told beforehand.
  void answered(int status, bool streamed);
  /// From the sending of the request to that head. Once answered().
  [[nodiscard]] std::chrono::nanoseconds first_byte() const { return first_byte_ - sent_; }
  /// So many bytes of the body go out to the client, with the first call the head does as well.
  void gives(std::size_t bytes);
  /// The replica failed it; of an answer that had begun to go out the client sees the cut.
  void failed(upstream_failure how);
  /// It ended before its time: the client left, or its time was over.
  void ended_early(turn_outcome how);
  void done() { outcome_ = turn_outcome::done; }
  /// The router itself answers with an error.
  void refused(int status, std::string_view code, std::size_t bytes);

  /// Counts it, and tells the log of it, where there is one; its request is of no use afterwards.
  void end(lane_meter& lane, access_log* log, client_request& request, const std::string& client);

 private:
  void tell(access_log& log, client_request& request, const std::string& client,
            time_point now) const;

  std::shared_ptr<replica_meter> replica_;
  std::optional<affinity> how_;
  turn_outcome outcome_ = turn_outcome::aborted;
  int answer_ = 0;  ///< the status of the replica's answer
  int status_ = 0;  ///< what the client got; 0: nothing
  bool streamed_ = false;
  std::string_view refusal_;  ///< code of the router's own error; empty: none
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  std::uint64_t pieces_ = 0;  ///< of the body
  time_point began_;
  time_point connecting_since_;
  std::chrono::nanoseconds connecting_{0};
  time_point sent_;
  time_point first_byte_;
  time_point first_given_;
  time_point piece_;  ///< the last one
};

}  // namespace fleet::http
