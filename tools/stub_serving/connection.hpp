// SPDX-License-Identifier: MIT
#pragma once

#include "replica.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <string>
#include <string_view>

namespace fleet::stub {

using request = boost::beast::http::request<boost::beast::http::string_body>;

/// One client connection: reads requests and answers them one after the other until either side
/// ends it. Runs on the one thread; `self` must outlive it.
class connection {
 public:
  connection(boost::asio::ip::tcp::socket socket, replica& self);

  /// The life of the connection.
  boost::asio::awaitable<void> run();

  /// Shutdown: closes an idle connection now, a busy one after its answer.
  void retire();

 private:
  using parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  boost::asio::awaitable<bool> read(parser& into);
  boost::asio::awaitable<void> refuse_body(const request& asked);
  boost::asio::awaitable<void> answer(const request& asked);
  boost::asio::awaitable<void> answer_turn(dialect which, const request& asked);

  /// Waits and speaks; true when the whole answer was sent.
  boost::asio::awaitable<bool> generate(const request& asked, const turn_plan& turn);
  boost::asio::awaitable<bool> say_token(const turn_plan& turn, std::size_t index,
                                         std::string_view half_an_answer);
  boost::asio::awaitable<bool> prefill(const turn_plan& turn);
  boost::asio::awaitable<bool> speak_whole(const request& asked, const turn_plan& turn);
  boost::asio::awaitable<bool> speak_stream(const request& asked, const turn_plan& turn);

  /// Completes when the client has left; that is how a turn is cancelled.
  boost::asio::awaitable<void> hung_up();

  boost::asio::awaitable<bool> send(const request& asked, unsigned status, std::string body);
  boost::asio::awaitable<bool> send_raw(std::string bytes);
  boost::asio::awaitable<bool> pause(duration how_long);

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  replica& self_;
  bool busy_ = false;
  bool served_ = false;  ///< at least one request was answered
  bool faulty_ = false;  ///< an answer was broken off on purpose
  bool close_ = false;   ///< no further request
};

}  // namespace fleet::stub
