// SPDX-License-Identifier: MIT
#include "fleet/http/server.hpp"

#include "actor_port.hpp"
#include "client_connection.hpp"
#include "descriptor_budget.hpp"
#include "lane.hpp"
#include "lane_thread.hpp"
#include "listener.hpp"
#include "metrics_scrape.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <future>
#include <string>
#include <thread>

namespace fleet::http {

namespace {

/// Runs `work` on a lane and waits for its result; not from a lane.
template <class F>
auto on_lane(lane_thread& lane, F work) {
  std::promise<decltype(work())> result;
  auto done = result.get_future();
  asio::post(lane.io, [&] {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      result.set_value();
    } else {
      result.set_value(work());
    }
  });
  return done.get();
}

constexpr std::chrono::milliseconds look_again{5};
constexpr std::chrono::seconds close_limit{5};

}  // namespace

struct server::impl {
  lane_threads& lanes;
  http_settings settings;
  logger& log;
  event_source events;
  body_budget bodies;
  std::vector<tcp_acceptor> acceptors;
  std::vector<std::unique_ptr<lane_services>> services;
  scraped_router scraped;
  client_room room;
  std::vector<std::shared_ptr<listener>> listeners;

  void measure_room() {
    const auto budget =
        share_descriptors(descriptor_limit(), lanes.lanes(), settings.fleet_descriptors);
    const auto fit = budget.clients;
    if (budget.tight) {
      log.warn("descriptors_short",
               {{"reason",
                 "the limit on file descriptors is too low for these lanes; raise "
                 "ulimit -n or LimitNOFILE=, or lower --threads"},
                {"limit", std::to_string(descriptor_limit())},
                {"lanes", std::to_string(lanes.lanes())},
                {"clients", std::to_string(fit)}});
    }
    for (auto* lane : room.lanes) {
      lane->pool_share = budget.pooled;
    }
    room.most = settings.max_clients == 0 ? fit : std::min(settings.max_clients, fit);
    if (settings.max_clients > fit) {
      log.warn("max_clients_lowered", {{"reason", "not enough file descriptors for --max-clients"},
                                       {"asked", std::to_string(settings.max_clients)},
                                       {"clients", std::to_string(fit)}});
    }
  }

  template <class F>
  void each_lane(F work) {
    for (std::size_t i = 0; i < services.size(); ++i) {
      on_lane(lanes.at(i), [&] {
        services[i]->bound.check();
        work(i);
      });
    }
  }

  std::size_t clients() {
    std::size_t count = 0;
    each_lane([&](std::size_t i) { count += services[i]->client_count; });
    return count;
  }
};

server::server(lane_threads& lanes, const http_settings& settings, logger& log,
               const event_ring& events, server_observers observers)
    : impl_(new impl{lanes,
                     settings,
                     log,
                     {events, {}},
                     body_budget(settings.max_bodies),
                     {},
                     {},
                     {.observers = observers},
                     {},
                     {}}) {}

server::~server() = default;

outcome<std::string> server::bind(const std::string& host, std::uint16_t port) {
  error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (ec) {
    return failure{"--host " + host + ": not an IPv4 or IPv6 address"};
  }
  std::vector<executor> where;
  for (std::size_t i = 0; i < impl_->lanes.lanes(); ++i) {
    where.push_back(impl_->lanes.at(i).io.get_executor());
  }
  tcp::endpoint bound(address, port);
  impl_->acceptors = open_acceptors(where, bound, ec);
  if (ec) {
    return failure{"cannot listen on " + authority({.host = host, .port = port}) + ": " +
                   ec.message()};
  }
  return url({.host = bound.address().to_string(), .port = bound.port()});
}

void server::start(caf::actor_system& system, const std::vector<front_actor>& fronts) {
  for (std::size_t i = 0; i < impl_->lanes.lanes(); ++i) {
    auto& lane = impl_->lanes.at(i);
    auto& services = impl_->services.emplace_back(std::make_unique<lane_services>(
        lane, impl_->lanes.names(), impl_->lanes.tls(),
        make_actor_port(system, i, lane.io.get_executor(), fronts[i]), impl_->settings, impl_->log,
        impl_->events, impl_->bodies));
    services->scraped = &impl_->scraped;
    services->access = impl_->scraped.observers.access;
    impl_->scraped.lanes.push_back(services.get());
    impl_->room.lanes.push_back(services.get());
  }
  impl_->measure_room();
  for (std::size_t i = 0; i < impl_->lanes.lanes(); ++i) {
    impl_->listeners.push_back(std::make_shared<listener>(
        *impl_->services[i], std::move(impl_->acceptors[i]), impl_->room));
  }
  impl_->each_lane([this](std::size_t i) { impl_->listeners[i]->start(); });
  impl_->acceptors.clear();
}

void server::stop_accepting() {
  impl_->each_lane([this](std::size_t i) {
    impl_->listeners[i]->stop();
    auto& services = *impl_->services[i];
    services.stopping = true;
    for (auto at = services.clients.begin(); at != services.clients.end();) {
      (at++)->stop_when_idle();
    }
  });
}

void server::end_events() {
  impl_->each_lane([this](std::size_t i) { impl_->services[i]->fleet_ended = true; });
}

bool server::wait_until_idle(std::chrono::nanoseconds limit) {
  const auto over = steady_clock::now() + limit;
  while (impl_->clients() != 0) {
    if (steady_clock::now() >= over) {
      return false;
    }
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

void server::cut_turns() {
  impl_->each_lane([this](std::size_t i) {
    auto& services = *impl_->services[i];
    for (auto at = services.clients.begin(); at != services.clients.end();) {
      (at++)->stop_turn();
    }
  });
}

void server::close() {
  impl_->each_lane([this](std::size_t i) {
    auto& services = *impl_->services[i];
    impl_->listeners[i]->stop();
    for (auto at = services.clients.begin(); at != services.clients.end();) {
      (at++)->close();
    }
    services.pool.clear();
  });
  wait_until_idle(close_limit);
}

}  // namespace fleet::http
