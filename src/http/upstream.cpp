// SPDX-License-Identifier: MIT
#include "upstream.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>

#include <tuple>
#include <utility>

namespace fleet::http {

bool out_of_descriptors(error_code ec) {
  return ec == asio::error::no_descriptors || ec == asio::error::no_memory ||
         ec == boost::system::errc::too_many_files_open_in_system;
}

upstream::upstream(executor lane, deadline_wheel& wheel, std::shared_ptr<asio::ssl::context> tls)
    : idle(wheel),
      socket_(lane),
      tls_context_(std::move(tls)),
      plain_in_(socket_, read_chunk, read_limit),
      connect_limit_(wheel) {
  if (tls_context_) {
    tls_.emplace(socket_, *tls_context_);
    tls_in_.emplace(*tls_, read_chunk, read_limit);
  }
}

awaitable<error_code> upstream::connect(resolver_pool& names, const endpoint& where,
                                        std::chrono::nanoseconds limit) {
  const auto self = shared_from_this();
  connect_limit_.arm(limit, [this] {
    struck_ = resolving_ ? error_code(asio::error::host_not_found_try_again)
                         : error_code(asio::error::timed_out);
    close();
  });
  auto ec = co_await connect_steps(names, where);
  connect_limit_.disarm();
  if (struck_) {
    ec = struck_;
  } else if (closed_) {
    ec = asio::error::operation_aborted;
  }
  co_return ec;
}

awaitable<std::pair<error_code, resolver_pool::addresses>> upstream::resolve(
    resolver_pool& names, const endpoint& where) {
  // Parked here and not in the pool, so that close() ends the wait for a name server at once.
  auto [ec, found] = co_await asio::async_initiate<decltype(use_tuple),
                                                   void(error_code, resolver_pool::addresses)>(
      [&](auto handler) {
        resolving_.park(std::move(handler));
        names.resolve(
            where.host, where.port, socket_.get_executor(),
            [self = shared_from_this()](error_code failed, resolver_pool::addresses known) {
              if (self->resolving_) {
                self->resolving_.resume(failed, std::move(known));
              }
            });
      },
      use_tuple);
  co_return std::pair{ec, std::move(found)};
}

awaitable<error_code> upstream::connect_steps(resolver_pool& names, const endpoint& where) {
  auto [ec, addresses] = co_await resolve(names, where);
  if (ec || closed_) {
    co_return ec;
  }
  ec = co_await connect_to(addresses);
  if (ec || closed_) {
    co_return ec;
  }
  socket_.set_option(tcp::no_delay(true), ec);
  socket_.non_blocking(true, ec);
  // No `?:` and no `&&` around co_await: g++ 12 runs the side that was not chosen.
  if (!tls_) {
    co_return error_code{};
  }
  co_return co_await handshake(where);
}

awaitable<error_code> upstream::connect_to(const resolver_pool::addresses& addresses) {
  // Not asio::async_connect(): it calls a socket that could not be opened a cancelled one.
  error_code ec = asio::error::not_found;
  for (const auto& address : addresses) {
    error_code ignored;
    socket_.close(ignored);
    std::tie(ec) = co_await socket_.async_connect(address, use_tuple);
    if (!ec || closed_ || out_of_descriptors(ec)) {
      break;
    }
  }
  co_return ec;
}

awaitable<error_code> upstream::handshake(const endpoint& where) {
  if (!where.insecure_skip_verify) {
    tls_->set_verify_callback(asio::ssl::host_name_verification(where.host));
  }
  error_code literal;
  asio::ip::make_address(where.host, literal);
  if (literal) {
    // What SSL_set_tlsext_host_name() expands to, without its old-style cast.
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(where.host.c_str()));
  }
  const auto [ec] = co_await tls_->async_handshake(asio::ssl::stream_base::client, use_tuple);
  co_return ec;
}

awaitable<void> upstream::send_ended() {
  if (sending_) {
    co_await asio::async_initiate<decltype(use_value), void()>(
        [this](auto handler) { send_ended_.park(std::move(handler)); }, use_value);
  }
}

void upstream::sent(error_code ec) {
  sending_ = false;
  if (ec) {
    send_error_ = ec;
  }
  if (send_ended_) {
    send_ended_.resume();
  }
}

void upstream::arm() {
  if (tls_) {
    tls_in_->arm(shared_from_this());
  } else {
    plain_in_.arm(shared_from_this());
  }
}

void upstream::on_change(std::function<void()> callback) {
  if (tls_) {
    tls_in_->on_change(std::move(callback));
  } else {
    plain_in_.on_change(std::move(callback));
  }
}

awaitable<error_code> upstream::more() {
  return tls_ ? tls_in_->more(shared_from_this()) : plain_in_.more(shared_from_this());
}

void upstream::close() {
  closed_ = true;
  idle.disarm();
  place.reset();
  error_code ignored;
  socket_.close(ignored);
  if (resolving_) {
    asio::post(socket_.get_executor(), [waiting = resolving_.take()]() mutable {
      std::move(waiting)(asio::error::operation_aborted, resolver_pool::addresses{});
    });
  }
}

}  // namespace fleet::http
