// SPDX-License-Identifier: MIT
#pragma once

#include "deadline_wheel.hpp"
#include "inbound.hpp"
#include "net.hpp"
#include "resolver_pool.hpp"
#include "send.hpp"

#include "fleet/core/replica.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_suffix.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fleet::http {

/// For want of descriptors or memory on this side: never a replica's fault.
[[nodiscard]] bool out_of_descriptors(error_code ec);

/// A connection to a replica, plain or TLS, usable for one exchange after another. Belongs to one
/// lane; always held by shared_ptr, since a read can be under way while nobody waits for it.
class upstream : public std::enable_shared_from_this<upstream> {
 public:
  static constexpr std::size_t read_chunk = 32 * 1024;
  /// Bytes held at most: a whole head and then some.
  static constexpr std::size_t read_limit = 96 * 1024;
  static constexpr std::size_t write_piece = 256 * 1024;

  upstream(executor lane, deadline_wheel& wheel, std::shared_ptr<asio::ssl::context> tls);

  /// Connects within `limit`, name resolution and TLS handshake included, to the first of the
  /// host's addresses that takes it. When the limit strikes the error is
  /// `timed_out`, or `host_not_found_try_again` before there was an address to try; it is
  /// `operation_aborted` when close() struck. May be tried again while out_of_descriptors().
  awaitable<error_code> connect(resolver_pool& names, const endpoint& where,
                                std::chrono::nanoseconds limit);

  /// Begins to send all of it and does not wait: a peer may answer at length before it reads on,
  /// and reads only once it is listened to. What the buffers refer to stays where it is while
  /// sending().
  template <class Buffers>
  void send(const Buffers& buffers) {
    send_error_ = {};
    if (tls_) {
      send_on(*tls_, buffers);
    } else if (const auto sent = send_now(socket_, buffers, send_error_);
               !send_error_ && sent < asio::buffer_size(buffers)) {
      boost::beast::buffers_suffix<Buffers> rest(buffers);
      rest.consume(sent);
      send_on(socket_, rest);
    }
  }
  [[nodiscard]] bool sending() const { return sending_; }
  /// Why the last send() ended before its end.
  [[nodiscard]] error_code send_error() const { return send_error_; }
  /// Waits for the end of a send() under way.
  awaitable<void> send_ended();

  byte_buffer& bytes() { return tls_in_ ? tls_in_->bytes() : plain_in_.bytes(); }
  [[nodiscard]] error_code failure() const {
    return tls_in_ ? tls_in_->failure() : plain_in_.failure();
  }
  void arm();
  void on_change(std::function<void()> callback);
  awaitable<error_code> more();

  /// At once: no farewell on the wire, every operation under way ends.
  void close();
  [[nodiscard]] bool closed() const { return closed_; }

  /// Had an exchange before this one: its peer may have closed it in the meantime.
  bool reused = false;
  /// Limits the time in the pool.
  deadline idle;
  steady_clock::time_point idle_since;
  /// Its place among the open connections that its pool counts; given up by close().
  std::shared_ptr<void> place;

 private:
  using tls_stream = asio::ssl::stream<tcp_socket&>;

  awaitable<std::pair<error_code, resolver_pool::addresses>> resolve(resolver_pool& names,
                                                                     const endpoint& where);
  awaitable<error_code> connect_steps(resolver_pool& names, const endpoint& where);
  awaitable<error_code> connect_to(const resolver_pool::addresses& addresses);
  awaitable<error_code> handshake(const endpoint& where);

  template <class Stream, class Buffers>
  void send_on(Stream& stream, const Buffers& buffers) {
    sending_ = true;
    // Asked before each piece: close() may come between two, when no operation is under way.
    const auto go_on = [this](error_code failed, std::size_t) -> std::size_t {
      return failed || closed_ ? 0 : write_piece;
    };
    asio::async_write(stream, buffers, go_on,
                      [this, self = shared_from_this()](error_code ec, std::size_t) { sent(ec); });
  }
  void sent(error_code ec);

  tcp_socket socket_;
  std::shared_ptr<asio::ssl::context> tls_context_;
  std::optional<tls_stream> tls_;
  inbound<tcp_socket> plain_in_;
  std::optional<inbound<tls_stream>> tls_in_;
  parked<error_code, resolver_pool::addresses> resolving_;
  deadline connect_limit_;
  error_code struck_;  ///< what connect_limit_ ended, once it has
  parked<> send_ended_;
  bool sending_ = false;
  error_code send_error_;
  bool closed_ = false;
};

}  // namespace fleet::http
