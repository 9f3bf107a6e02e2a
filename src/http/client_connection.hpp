// SPDX-License-Identifier: MIT
#pragma once

#include "admin.hpp"
#include "body_budget.hpp"
#include "inbound.hpp"
#include "lane.hpp"
#include "request_head.hpp"
#include "response_head.hpp"
#include "send.hpp"
#include "turn_record.hpp"

#include "fleet/core/session_scan.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_suffix.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace fleet::http {

/// As much of each text of a client's is logged.
constexpr std::size_t most_text = 256;

/// One request as read: head, body, and the ids that go with it.
struct client_request {
  request_head head;
  std::string body;
  std::string session;  ///< resolved; empty when the request has none
  bool fresh_session = false;
  std::string request_id;  ///< the client's, or minted
  bool complete = false;   ///< the body is here to its end

  /// The id as it is logged.
  [[nodiscard]] std::string logged_id() const { return request_id.substr(0, most_text); }

  /// Whether it is a turn of a conversation.
  [[nodiscard]] bool pins() const { return head.pins() && !session.empty(); }
};

/// One client's connection: reads requests, answers what the router answers itself, and hands the
/// rest to an exchange. Belongs to one lane; holds itself while it runs.
class client_connection final : public std::enable_shared_from_this<client_connection>,
                                public lane_client {
 public:
  client_connection(lane_services& lane, tcp_socket socket);
  ~client_connection() override;

  /// Serves until the connection ends.
  static void start(std::shared_ptr<client_connection> connection);

  void stop_when_idle() override;
  bool stop_if_idle(std::chrono::nanoseconds time) override;
  void stop_turn() override;
  void close() override;
  /// At once and with a reset: where the end of the connection would mean the end of the body, a
  /// plain close would pass a cut answer off as a whole one.
  void reset();

  // For the exchange under way:

  /// Calls `gone` when the client leaves, also while no byte flows; nullptr ends the watch. Bytes
  /// of a next request are kept meanwhile.
  void watch(std::function<void()> gone);
  /// Sends all of it; an error when the client goes, or takes nothing for --client-timeout.
  template <class Buffers>
  awaitable<error_code> write(const Buffers& buffers) {
    error_code ec;
    const auto sent = send_now(socket_, buffers, ec);
    if (!ec && sent < asio::buffer_size(buffers)) {
      boost::beast::buffers_suffix<Buffers> rest(buffers);
      rest.consume(sent);
      // Asked before each piece: whoever takes some of it has not stalled.
      const auto go_on = [this](error_code failed, std::size_t) -> std::size_t {
        if (!failed) {
          limit_to(lane_.settings.client_timeout);
        }
        return failed ? 0 : write_piece;
      };
      std::tie(ec, std::ignore) = co_await asio::async_write(socket_, rest, go_on, use_tuple);
      wrote();
    }
    co_return ec;
  }
  [[nodiscard]] const std::string& address() const { return address_; }
  /// Answers with a refusal; true when the connection can serve a next request.
  awaitable<bool> refuse(const refusal& why);
  [[nodiscard]] const client_request& request() const { return request_; }
  /// The body is not needed any more: a long answer must not hold on to a large question.
  void drop_body() {
    std::string().swap(request_.body);
    share_.release();
  }
  [[nodiscard]] turn_record& turn() { return turn_; }
  /// Whether the connection may stay open after the answer under way.
  [[nodiscard]] bool may_keep() const;

 private:
  enum class received : std::uint8_t { complete, closed, refused };

  awaitable<void> run();
  awaitable<bool> serve();
  awaitable<received> receive_head();
  awaitable<received> receive_body();
  awaitable<error_code> send_continue();
  /// Moves what has come of the body into the request; a refusal when it is wrong or too large.
  std::optional<refusal> take_body(std::size_t limit);
  void limit_to(std::chrono::nanoseconds time);
  void wrote();
  void resolve_session();
  void end_turn();
  awaitable<bool> answer();
  awaitable<bool> answer_health();
  awaitable<bool> answer_admin_call();
  awaitable<bool> tell_events(event_wish from);
  awaitable<bool> send_own(std::string text, bool keep);
  [[nodiscard]] std::string admin_text(const own_reply& reply, bool keep) const;
  [[nodiscard]] std::string refusal_text(const refusal& why, bool keep) const;
  awaitable<void> linger();
  void seen_while_watching();

  static constexpr std::size_t write_piece = 256 * 1024;
  static constexpr std::size_t read_chunk = 32 * 1024;
  /// A whole head, or as much of the requests behind the one being served.
  static constexpr std::size_t read_limit = header_limit + 8 * 1024;

  lane_services& lane_;
  tcp_socket socket_;
  inbound<tcp_socket> in_;
  std::string address_;
  deadline limit_;
  deadline look_;
  bool limit_struck_ = false;
  bool in_request_ = false;
  steady_clock::time_point waits_since_ = steady_clock::now();  // while not in_request_
  bool served_before_ = false;
  bool closed_ = false;
  bool asks_admin_ = false;  // an answer of the admin API is on its way
  std::function<void()> gone_;
  std::optional<request_parser> parser_;
  session_scan scan_;
  std::optional<refusal> refusal_;
  client_request request_;
  body_share share_;  // of request_.body
  turn_record turn_;
};

}  // namespace fleet::http
