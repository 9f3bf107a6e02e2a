// SPDX-License-Identifier: MIT
#include "listener.hpp"

#include "client_connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <sys/resource.h>

namespace fleet::http {

namespace {

using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::chrono::milliseconds pause{50};
/// Descriptors for everything that is no client: logs, probes, polls, the listeners themselves.
constexpr std::size_t reserved = 24;

void open(tcp_acceptor& acceptor, const tcp::endpoint& where, bool shared, error_code& ec) {
  acceptor.open(where.protocol(), ec);
  if (!ec) {
    acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  }
  if (!ec && shared) {
    acceptor.set_option(reuse_port(true), ec);
  }
  if (!ec) {
    acceptor.bind(where, ec);
  }
  if (!ec) {
    acceptor.listen(asio::socket_base::max_listen_connections, ec);
  }
}

}  // namespace

std::vector<tcp_acceptor> open_acceptors(const std::vector<executor>& lanes, tcp::endpoint& where,
                                         error_code& ec) {
  {
    // Alone first: with SO_REUSEPORT a second router would share the port unnoticed.
    tcp_acceptor alone(lanes.front());
    open(alone, where, false, ec);
    if (ec) {
      return {};
    }
    where = alone.local_endpoint();
  }
  std::vector<tcp_acceptor> acceptors;
  for (const auto& lane : lanes) {
    open(acceptors.emplace_back(lane), where, true, ec);
    if (ec) {
      return {};
    }
  }
  return acceptors;
}

std::size_t clients_that_fit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return 1'000'000;
  }
  return (std::max<std::size_t>(limit.rlim_cur, reserved + 4) - reserved) / 2;
}

std::size_t client_room::clients() const {
  std::size_t all = 0;
  for (const auto* lane : lanes) {
    all += lane->client_count;
  }
  return all;
}

void client_room::make_some(lane_services& mine) const {
  if (mine.make_room()) {
    return;
  }
  for (auto* lane : lanes) {
    if (lane != &mine) {
      asio::post(lane->where, [lane] { lane->make_room(); });
    }
  }
}

void listener::start() {
  asio::co_spawn(
      lane_.where, [self = shared_from_this()]() -> awaitable<void> { return self->run(); },
      asio::detached);
}

void listener::stop() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

awaitable<void> listener::starve(std::string reason) {
  if (!std::exchange(starved_, true)) {
    const auto now = steady_clock::now();
    told_ = now - last_told_ >= quiet;
    if (told_) {
      last_told_ = now;
      lane_.log.warn("accept_paused", {{"reason", std::move(reason)},
                                       {"clients", std::to_string(room_.clients())},
                                       {"not_logged_before", std::to_string(untold_)}});
    }
    untold_ = told_ ? 0 : untold_ + 1;
  }
  pause_.expires_after(pause);
  co_await pause_.async_wait(use_tuple);
}

void listener::go_on() {
  if (std::exchange(starved_, false) && std::exchange(told_, false)) {
    lane_.log.info("accept_resumed");
  }
}

awaitable<void> listener::run() {
  const auto self = shared_from_this();
  while (acceptor_.is_open()) {
    if (room_.clients() >= room_.most) {
      room_.make_some(lane_);
      co_await starve("as many clients as --max-clients or descriptors allow");
      continue;
    }
    tcp_socket socket(lane_.where);
    const auto [ec] = co_await acceptor_.async_accept(socket, use_tuple);
    if (!ec) {
      go_on();
      client_connection::start(std::make_shared<client_connection>(lane_, std::move(socket)));
    } else if (ec == asio::error::operation_aborted) {
      break;
    } else if (ec != asio::error::connection_aborted) {
      co_await starve(ec.message());
    }
  }
}

}  // namespace fleet::http
