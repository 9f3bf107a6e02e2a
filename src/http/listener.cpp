// SPDX-License-Identifier: MIT
#include "listener.hpp"

#include "client_connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace fleet::http {

namespace {

using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::chrono::milliseconds pause{50};

/// A connection between two lanes.
class moving_socket {
 public:
  explicit moving_socket(int number) : number_(number) {}
  moving_socket(moving_socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  moving_socket& operator=(moving_socket&&) = delete;
  ~moving_socket() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  void arrive(tcp_socket& here, const tcp& protocol, error_code& ec) {
    here.assign(protocol, number_, ec);
    number_ = ec ? number_ : -1;
  }

 private:
  int number_;
};

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

std::size_t client_room::clients() const {
  std::size_t all = 0;
  for (const auto* lane : lanes) {
    all += lane->client_count + lane->arriving;
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

lane_services& client_room::place(lane_services& mine) const {
  const auto load = [](const lane_services* lane) -> std::size_t {
    return lane->client_count + lane->arriving;
  };
  auto* fewest = *std::min_element(lanes.begin(), lanes.end(),
                                   [&](const auto* a, const auto* b) { return load(a) < load(b); });
  // A move costs as much as a small turn: little differences stay.
  const auto least = load(fewest);
  return load(&mine) > least + 1 + least / 8 ? *fewest : mine;
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

bool listener::somebody_waits() {
  pollfd queue{.fd = acceptor_.native_handle(), .events = POLLIN, .revents = 0};
  return ::poll(&queue, 1, 0) > 0;
}

void listener::take(tcp_socket socket) {
  const auto serve = [](lane_services& lane, tcp_socket connected) {
    client_connection::start(std::make_shared<client_connection>(lane, std::move(connected)));
  };
  auto& lane = room_.place(lane_);
  if (&lane == &lane_) {
    serve(lane_, std::move(socket));
    return;
  }
  // A socket belongs to the io_context that polls it, and only its lane may touch that.
  error_code ec;
  const auto protocol = acceptor_.local_endpoint(ec).protocol();
  moving_socket moving(socket.release(ec));
  ++lane.arriving;
  asio::post(lane.where, [&lane, protocol, moving = std::move(moving), serve]() mutable {
    --lane.arriving;
    tcp_socket here(lane.where);
    error_code failed;
    moving.arrive(here, protocol, failed);
    if (!failed) {
      serve(lane, std::move(here));
    }
  });
}

awaitable<void> listener::run() {
  const auto self = shared_from_this();
  while (acceptor_.is_open()) {
    if (room_.clients() >= room_.most) {
      if (!somebody_waits()) {
        co_await acceptor_.async_wait(tcp_acceptor::wait_read, use_tuple);
        continue;
      }
      room_.make_some(lane_);
      co_await starve("as many clients as --max-clients or descriptors allow");
      continue;
    }
    tcp_socket socket(lane_.where);
    const auto [ec] = co_await acceptor_.async_accept(socket, use_tuple);
    if (!ec) {
      go_on();
      take(std::move(socket));
    } else if (ec == asio::error::operation_aborted) {
      break;
    } else if (ec != asio::error::connection_aborted) {
      co_await starve(ec.message());
    }
  }
}

}  // namespace fleet::http
