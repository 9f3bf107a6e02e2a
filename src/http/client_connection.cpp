// SPDX-License-Identifier: MIT
#include "client_connection.hpp"

#include "trace_context.hpp"

#include "fleet/core/session_id.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <poll.h>
#include <tuple>

namespace fleet::http {

namespace {

/// The largest body of a request that the router answers itself.
constexpr std::size_t own_body_limit = 1024 * 1024;
/// A body is given its announced size at once only up to here; memory follows bytes, not promises.
constexpr std::size_t trusted_length = 1024 * 1024;
/// How often it is asked whether a client with more pipelined requests than are kept has gone.
constexpr std::chrono::milliseconds look_interval{200};

std::string address_of(const tcp_socket& socket) {
  error_code ec;
  auto address = socket.remote_endpoint(ec).address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return ec ? "unknown" : address.to_string();
}

/// Whether the peer has closed its side or all of it, also behind bytes that wait unread.
bool hung_up(tcp_socket& socket) {
  pollfd seen{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&seen, 1, 0) > 0;
}

}  // namespace

client_connection::client_connection(lane_services& lane, tcp_socket socket)
    : lane_(lane),
      socket_(std::move(socket)),
      in_(socket_, read_chunk, read_limit),
      address_(address_of(socket_)),
      limit_(lane.wheel),
      look_(lane.wheel),
      share_(lane.bodies) {
  lane_.bound.check();
  lane_.clients.push_back(*this);
  ++lane_.client_count;
  lane_.fit_pool();
}

client_connection::~client_connection() {
  lane_.bound.check();
  --lane_.client_count;
  lane_.fit_pool();
}

void client_connection::start(std::shared_ptr<client_connection> connection) {
  auto& self = *connection;
  asio::co_spawn(
      self.lane_.where,
      [connection = std::move(connection)]() -> awaitable<void> { return connection->run(); },
      asio::detached);
}

void client_connection::stop_when_idle() {
  if (!in_request_) {
    close();
  }
}

bool client_connection::stop_if_idle(std::chrono::nanoseconds time) {
  const bool idle = !in_request_ && !closed_ && steady_clock::now() - waits_since_ > time;
  if (idle) {
    close();
  }
  return idle;
}

void client_connection::stop_turn() {
  if (!asks_admin_) {
    close();
  }
}

void client_connection::close() {
  lane_.bound.check();
  closed_ = true;
  error_code ignored;
  socket_.close(ignored);
}

void client_connection::reset() {
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

bool client_connection::may_keep() const {
  return request_.complete && request_.head.keep_alive && !lane_.stopping && !closed_;
}

awaitable<void> client_connection::run() {
  const auto self = shared_from_this();
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  while (co_await serve()) {
    served_before_ = true;
  }
  limit_.disarm();
  const bool unread = !in_.bytes().empty() || socket_.available(ignored) != 0;
  if (!closed_ && (!request_.complete || unread)) {
    drop_body();
    co_await linger();
  }
  close();
}

awaitable<bool> client_connection::serve() {
  lane_.bound.check();
  request_ = {};
  share_.release();
  scan_ = {};
  turn_ = {};
  auto result = co_await receive_head();
  if (result == received::complete) {
    result = co_await receive_body();
  }
  limit_.disarm();
  turn_.begin(request_.body.size());
  if (result == received::closed && request_.head.method.empty()) {
    close();
    co_return false;
  }
  request_.request_id =
      request_.head.request_id.empty() ? lane_.ids.next() : request_.head.request_id;
  resolve_session();
  if (lane_.settings.trace) {
    begin_trace(request_.head, lane_.ids);
  }
  bool keep = false;
  if (result == received::closed) {
    turn_.ended_early(turn_outcome::client_gone);
    close();
  } else if (result == received::refused) {
    keep = co_await refuse(*refusal_);
  } else {
    keep = co_await answer();
  }
  end_turn();
  co_return keep;
}

void client_connection::end_turn() {
  const auto kind = request_.head.kind;
  if (kind == route_kind::proxied || kind == route_kind::models || kind == route_kind::unknown) {
    turn_.end(lane_.meter, lane_.access, request_, address_);
  }
}

void client_connection::wrote() {
  limit_.disarm();
  if (limit_struck_) {
    lane_.log.warn("client_stalled", {{"client", address_}, {"request_id", request_.logged_id()}});
  }
}

void client_connection::limit_to(std::chrono::nanoseconds time) {
  limit_struck_ = false;
  limit_.arm(time, [this] {
    limit_struck_ = true;
    error_code ignored;
    socket_.cancel(ignored);
  });
}

awaitable<client_connection::received> client_connection::receive_head() {
  auto& bytes = in_.bytes();
  auto& parser = parser_.emplace();
  in_request_ = false;
  bool waiting = false;  // for a first byte; empty lines do not begin the wait anew
  for (;;) {
    // RFC 9112 2.2: empty lines before a request are passed over.
    while (!in_request_ && bytes.data().starts_with("\r\n")) {
      bytes.consume(2);
    }
    const bool first = !in_request_;
    in_request_ = !bytes.empty() && bytes.data() != "\r";
    if (in_request_) {
      const auto ec = parser.parse_head(bytes.data());
      if (ec || parser.head_done()) {
        refusal_ = read_head(parser, lane_.settings.admin_token, request_.head);
        if (ec) {
          refusal_ = refusal_of(ec, bytes.data());
        } else if (parser.head_size() > header_limit) {
          refusal_ = refusal_of(beast_http::error::header_limit, {});
        }
        bytes.consume(parser.head_size());
        parser.drop_fields();
        co_return refusal_ ? received::refused : received::complete;
      }
      if (first) {
        limit_to(lane_.settings.header_timeout);
      }
    } else if (lane_.stopping) {
      co_return received::closed;
    } else if (!std::exchange(waiting, true)) {
      waits_since_ = steady_clock::now();
      limit_to(served_before_ ? lane_.settings.idle_timeout : lane_.settings.header_timeout);
    }
    const auto ec = co_await in_.more(shared_from_this());
    if (ec == asio::error::no_buffer_space) {
      refusal_ = refusal_of(beast_http::error::header_limit, {});
      co_return received::refused;
    }
    // A limit that struck while bytes came in has cancelled nothing.
    if (in_request_ && limit_struck_) {
      refusal_ = refusal{408, "header_timeout", "the request's head did not arrive in time"};
      co_return received::refused;
    }
    if (ec || limit_struck_) {
      co_return received::closed;
    }
  }
}

std::optional<refusal> client_connection::take_body(std::size_t limit) {
  auto& bytes = in_.bytes();
  error_code ec;
  const auto used = parser_->parse_body(bytes.data(), ec);
  for (const auto piece : parser_->pieces()) {
    if (request_.body.size() + piece.size() > limit) {
      return refusal{413, "body_too_large",
                     "the request body is larger than " + std::to_string(limit) + " bytes"};
    }
    if (!share_.cover(request_.body.size() + piece.size())) {
      return refusal{503, "overloaded", "the router holds as many request bodies as it may"};
    }
    request_.body.append(piece);
    scan_.feed(piece);
  }
  bytes.consume(used);
  if (ec) {
    return refusal_of(ec, {});
  }
  return std::nullopt;
}

awaitable<error_code> client_connection::send_continue() {
  // RFC 9110 10.1.1: no interim answer where the body is already on its way, none for HTTP/1.0.
  if (!request_.head.expects_continue || request_.head.http10 || !in_.bytes().empty()) {
    co_return error_code{};
  }
  static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
  co_return co_await write(asio::buffer(interim));
}

awaitable<client_connection::received> client_connection::receive_body() {
  const bool relayed =
      request_.head.kind == route_kind::proxied || request_.head.kind == route_kind::models;
  const auto limit = relayed ? lane_.settings.max_body : own_body_limit;
  if (const auto length = parser_->content_length(); length && !parser_->is_done()) {
    if (*length > limit) {
      refusal_ = refusal{413, "body_too_large",
                         "the request body is larger than " + std::to_string(limit) + " bytes"};
      co_return received::refused;
    }
    request_.body.reserve(std::min<std::size_t>(*length, trusted_length));
  }
  if (!parser_->is_done()) {
    if (co_await send_continue()) {
      co_return received::closed;
    }
  }
  // Byte by byte an upload could go on for ever without standing still.
  const auto over = steady_clock::now() + lane_.settings.request_timeout;
  while (!parser_->is_done()) {
    if ((refusal_ = take_body(limit))) {
      co_return received::refused;
    }
    if (parser_->is_done()) {
      break;
    }
    const auto time = std::min<std::chrono::nanoseconds>(lane_.settings.client_timeout,
                                                         over - steady_clock::now());
    limit_to(time);
    const auto ec = co_await in_.more(shared_from_this());
    if (limit_struck_) {
      refusal_ = refusal{408, "body_timeout", "the request's body did not arrive in time"};
      co_return received::refused;
    }
    if (ec == asio::error::no_buffer_space) {
      refusal_ = refusal{400, "bad_request", "the chunked coding of the body cannot be read"};
      co_return received::refused;
    }
    if (ec) {
      co_return received::closed;
    }
  }
  request_.complete = true;
  co_return received::complete;
}

void client_connection::resolve_session() {
  const auto& head = request_.head;
  if (head.kind != route_kind::proxied) {
    return;
  }
  if (!head.session.empty() && valid_session_id(head.session)) {
    request_.session = head.session;
    return;
  }
  if (head.plain_get()) {
    return;
  }
  if (head.session.empty()) {
    request_.session = scan_.result().value_or("");
  }
  if (request_.session.empty()) {
    request_.session = lane_.ids.next();
    request_.fresh_session = true;
  }
}

void client_connection::watch(std::function<void()> gone) {
  gone_ = std::move(gone);
  if (!gone_) {
    in_.on_change(nullptr);
    look_.disarm();
    return;
  }
  in_.on_change([this] { seen_while_watching(); });
  seen_while_watching();
}

void client_connection::seen_while_watching() {
  lane_.bound.check();
  in_.arm(shared_from_this());
  if (in_.reading()) {
    return;
  }
  // Ended, or full of pipelined requests. A FIN behind bytes not read yet makes no event that Asio
  // tells of.
  if (!in_.failure() && !closed_ && !hung_up(socket_)) {
    look_.arm(look_interval, [this] { seen_while_watching(); });
  } else if (gone_) {
    std::exchange(gone_, nullptr)();
  }
}

awaitable<void> client_connection::linger() {
  // Closing with unread bytes would reset the connection and take the answer along.
  error_code ignored;
  socket_.shutdown(tcp_socket::shutdown_send, ignored);
  limit_.arm(lane_.settings.linger_timeout, [this] { close(); });
  std::array<char, 4096> unread{};
  error_code ended;
  while (!ended) {
    // Not through in_: a limit that cancelled its read has ended it for good.
    std::tie(ended, std::ignore) =
        co_await socket_.async_read_some(asio::buffer(unread), use_tuple);
  }
  limit_.disarm();
}

}  // namespace fleet::http
