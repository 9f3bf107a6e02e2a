// SPDX-License-Identifier: MIT
#include "turn_record.hpp"

#include "client_connection.hpp"
#include "trace_context.hpp"

#include "fleet/http/access_log.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fleet::http {

namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

template <std::size_t size>
std::size_t place_in(const std::array<std::string_view, size>& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return std::min(static_cast<std::size_t>(found - words.begin()), size - 1);
}

}  // namespace

void turn_record::answered(int status, bool streamed) {
  first_byte_ = steady_clock::now();
  answer_ = status;
  streamed_ = streamed;
}

void turn_record::gives(std::size_t bytes) {
  const bool first = std::exchange(status_, answer_) == 0;
  if (!first && bytes == 0) {
    return;
  }
  const auto now = steady_clock::now();
  if (first) {
    first_given_ = now;
  }
  if (bytes != 0) {
    if (streamed_ && pieces_ != 0) {
      replica_->piece_gap.observe(seconds(now - piece_));
    }
    piece_ = now;
    ++pieces_;
    bytes_out_ += bytes;
  }
}

void turn_record::failed(upstream_failure how) {
  outcome_ = how == upstream_failure::connect   ? turn_outcome::connect_failed
             : how == upstream_failure::timeout ? turn_outcome::timed_out
                                                : turn_outcome::replica_failed;
  if (!replica_) {
    return;  // its time was over before there was one
  }
  replica_->failures[static_cast<std::size_t>(how)].Increment();
  if (status_ != 0) {
    replica_->truncations.Increment();
  }
}

void turn_record::ended_early(turn_outcome how) {
  if (how == turn_outcome::timed_out) {
    failed(upstream_failure::timeout);
  } else {
    outcome_ = how;
  }
}

void turn_record::refused(int status, std::string_view code, std::size_t bytes) {
  status_ = status;
  refusal_ = code;
  bytes_out_ = bytes;
}

void turn_record::end(lane_meter& lane, access_log* log, client_request& request,
                      const std::string& client) {
  const auto now = steady_clock::now();
  auto& at = replica_ ? *replica_ : lane.unplaced;
  at.turns[turn_route(request.head.target)][code_class(status_)].Increment();
  if (how_) {
    const bool fresh = *how_ == affinity::fresh && request.fresh_session;
    lane.affinities[fresh ? new_session : static_cast<std::size_t>(*how_)].Increment();
  }
  if (outcome_ == turn_outcome::client_gone) {
    at.client_aborts.Increment();
  }
  if (!refusal_.empty()) {
    lane.refusals[place_in(refusal_codes, refusal_)].Increment();
  } else if (status_ != 0) {
    at.first_byte.observe(seconds(first_byte()));
    at.whole.observe(seconds(now - began_));
    lane.added.observe(seconds(sent_ - began_ - connecting_ + first_given_ - first_byte_));
  }
  if (log != nullptr) {
    tell(*log, request, client, now);
  }
}

void turn_record::tell(access_log& log, client_request& request, const std::string& client,
                       time_point now) const {
  const auto path = path_of(request.head.target);
  // Both in the words of X-Affinity.
  const auto words =
      how_ ? affinity_field(*how_, request.fresh_session, request.pins()) : std::string_view();
  const auto chosen = words.substr(0, words.find(';'));
  const auto why = words.substr(words.find('=') + 1);
  access_entry entry{.at = std::chrono::system_clock::now(),
                     .client = client,
                     .method = request.head.method.substr(0, most_text),
                     .path = std::string(path.substr(0, most_text)),
                     .route = turn_routes[turn_route(path)],
                     .status = status_,
                     .code = refusal_,
                     .session = std::move(request.session),
                     .replica = replica_ ? replica_->name : std::string(),
                     .affinity = chosen,
                     .why = why,
                     .bytes_in = bytes_in_,
                     .bytes_out = bytes_out_,
                     .pieces = pieces_,
                     .total = now - began_,
                     .end = refusal_.empty() ? to_string(outcome_) : "refused",
                     .request_id = request.logged_id(),
                     .trace = std::string(trace_id(request.head.fields))};
  if (refusal_.empty() && status_ != 0) {
    entry.first_byte = first_byte_ - began_;
  }
  log.add(std::move(entry));
}

}  // namespace fleet::http
