// SPDX-License-Identifier: MIT
#pragma once

#include "client_connection.hpp"
#include "response_head.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fleet::http {

/// The way of one turn: a ticket, a replica, the request there, the answer back (design.md). Lives
/// in the coroutine of its client's connection. Whatever ends it, the ticket is given back once.
class exchange {
 public:
  exchange(client_connection& client, lane_services& lane);
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  ~exchange();

  /// True when the client's connection can serve a next request.
  awaitable<bool> run();

 private:
  /// What became of one try at one replica.
  enum class tried : std::uint8_t {
    answered,  ///< the client has its answer, whole
    next,      ///< no connection, nothing sent: another replica may do it
    stale,     ///< a reused connection had ended: once more, on a fresh one
    refused,   ///< refusal_ says what to tell the client
    cut,       ///< the answer cannot be completed: the client's connection goes
  };

  awaitable<tried> try_replica(const std::shared_ptr<pooled_replica>& replica, lease& held);
  awaitable<tried> try_connection(const std::shared_ptr<pooled_replica>& replica, lease& held);
  void send_request(const pooled_replica& replica);
  awaitable<tried> receive_head(const pooled_replica& replica, lease& held);
  awaitable<tried> relay(const pooled_replica& replica, lease& held);
  void gather(bool last);
  void cut_client();
  tried failed(lease& held, const pooled_replica& replica, refusal why);
  tried ended_early(lease& held);
  void end_early(turn_outcome why);
  void allow_reuse(const std::shared_ptr<pooled_replica>& replica);

  client_connection& client_;
  lane_services& lane_;
  const client_request& request_;
  deadline limit_;
  std::shared_ptr<upstream> up_;
  std::optional<turn_outcome> early_;  ///< client_gone or timed_out, as soon as it is known
  std::optional<refusal> refusal_;
  std::optional<response_parser> answer_;
  body_framing framing_ = body_framing::none;  ///< towards the client
  bool sent_ = false;                          ///< a replica may have seen some of the request
  bool head_sent_ = false;                     ///< bytes of the answer may have reached the client
  std::string head_;
  std::string sent_head_;  ///< the request's, when the answer's is needed before it has gone
  std::string chunk_size_;
  std::vector<asio::const_buffer> out_;
};

}  // namespace fleet::http
