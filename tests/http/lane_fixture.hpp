// SPDX-License-Identifier: MIT
// One lane over loopback with a scripted fleet behind it, everything on the test's own thread.
#pragma once

#include "client_connection.hpp"
#include "lane.hpp"
#include "lane_thread.hpp"
#include "metrics_scrape.hpp"
#include "resolver_pool.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fleet::http {

struct silent_log final : logger {
  void write(log_level, std::string_view event, std::initializer_list<log_field>) override {
    events.emplace_back(event);
  }

  std::vector<std::string> events;
};

/// Routes as told, and keeps what came back.
struct scripted_port final : fleet_port {
  awaitable<route_answer> route(route_query query) override {
    asked.push_back(query);
    ended_when_asked.push_back(ended.size());
    if (answers.empty()) {
      co_return route_answer{.why =
                                 query.tried.empty() ? no_route::no_replica : no_route::all_tried};
    }
    const auto answer = answers.front();
    answers.pop_front();
    given += answer.found ? 1 : 0;
    co_return answer;
  }
  void finished(turn_end end) override { ended.push_back(std::move(end)); }
  awaitable<replica_spec> describe(instance_id instance) override { co_return specs[instance]; }
  awaitable<fleet_view> health() override { co_return seen; }
  awaitable<session_view> session(std::string id) override {
    admin_calls.push_back("session " + id);
    co_return pinned;
  }
  awaitable<grow_answer> grow(std::string slot) override {
    admin_calls.push_back("grow " + slot);
    co_return grown;
  }
  awaitable<shrink_answer> shrink(std::string replica) override {
    admin_calls.push_back("shrink " + replica);
    co_return shrunk;
  }
  awaitable<release_answer> release(std::string slot) override {
    admin_calls.push_back("release " + slot);
    co_return released;
  }
  awaitable<pool_view> fleet() override {
    admin_calls.push_back("fleet");
    co_return pool;
  }

  awaitable<log_answer> read_log(log_query wanted) override {
    admin_calls.push_back("log " + wanted.slot + " " + std::to_string(wanted.begin) + " " +
                          std::to_string(wanted.bytes));
    co_return logged;
  }

  /// The next turn goes to this port of 127.0.0.1, as a new instance.
  void send_to(std::uint16_t port) {
    const instance_id instance{specs.size() + 1};
    specs[instance] = {"replica" + std::to_string(instance.value), {"127.0.0.1", port}};
    answers.push_back({.found = true, .where = {instance, affinity::fresh}});
  }

  std::deque<route_answer> answers;
  std::map<instance_id, replica_spec> specs;
  std::vector<route_query> asked;
  std::vector<std::size_t> ended_when_asked;
  std::vector<turn_end> ended;
  std::size_t given = 0;
  std::vector<std::string> admin_calls;
  grow_answer grown;
  shrink_answer shrunk;
  release_answer released;
  log_answer logged;
  pool_view pool;
  fleet_view seen;
  session_view pinned;
};

/// Sends `answer` to whoever connects once it has read a head, then does `then`.
class scripted_upstream {
 public:
  enum class end { keep, fin, reset };

  scripted_upstream(asio::io_context& io, std::string answer, end then)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        answer_(std::move(answer)),
        then_(then) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  [[nodiscard]] std::uint16_t port() { return acceptor_.local_endpoint().port(); }

  std::string seen;   ///< all bytes received
  bool left = false;  ///< the router closed the connection
  std::size_t connections = 0;
  std::size_t open = 0;  ///< connections that have not ended; it must live as long as they do

 private:
  awaitable<void> serve() {
    for (;;) {
      tcp_socket socket(acceptor_.get_executor());
      const auto [ec] = co_await acceptor_.async_accept(socket, use_tuple);
      if (ec) {
        co_return;
      }
      ++connections;
      ++open;
      asio::co_spawn(acceptor_.get_executor(), talk(std::move(socket)), asio::detached);
    }
  }

  awaitable<void> talk(tcp_socket socket) {
    std::string request;
    for (;;) {
      std::array<char, 4096> piece{};
      const auto [ec, n] = co_await socket.async_read_some(asio::buffer(piece), use_tuple);
      if (ec) {
        left = true;
        --open;
        co_return;
      }
      seen.append(piece.data(), n);
      request.append(piece.data(), n);
      if (request.find("\r\n\r\n") == std::string::npos) {
        continue;
      }
      request.clear();
      co_await asio::async_write(socket, asio::buffer(answer_), use_tuple);
      if (then_ == end::reset) {
        socket.set_option(asio::socket_base::linger(true, 0));
      }
      if (then_ != end::keep) {
        socket.close();
        --open;
        co_return;
      }
    }
  }

  tcp_acceptor acceptor_;
  std::string answer_;
  end then_;
};

struct lane_fixture {
  /// A client that reads, and one that does not until read_client() is spawned, to which only so
  /// many bytes can be sent until then.
  lane_fixture() : lane_fixture(0) { asio::co_spawn(lane.io, read_client(), asio::detached); }
  explicit lane_fixture(int room) {
    auto scripted = std::make_unique<scripted_port>();
    port = scripted.get();
    services = std::make_unique<lane_services>(lane, names, tls, std::move(scripted), settings, log,
                                               events, bodies);
    scraped.lanes.push_back(services.get());
    services->scraped = &scraped;
    lane.work.reset();
    tcp_acceptor acceptor(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    client.open(tcp::v4());
    if (room != 0) {
      client.set_option(asio::socket_base::receive_buffer_size(room / 2));
    }
    client.connect(acceptor.local_endpoint());
    tcp_socket accepted(lane.io.get_executor());
    acceptor.accept(accepted);
    if (room != 0) {
      accepted.set_option(asio::socket_base::send_buffer_size(room / 2));
    }
    client_connection::start(std::make_shared<client_connection>(*services, std::move(accepted)));
  }
  lane_fixture(const lane_fixture&) = delete;
  lane_fixture& operator=(const lane_fixture&) = delete;
  ~lane_fixture() {
    error_code ignored;
    client.close(ignored);
    CHECK(run_until([this] { return services->client_count == 0; }));
    services->pool.clear();
    CHECK(run_until([this] {
      return std::all_of(upstreams.begin(), upstreams.end(), [](auto& x) { return x->open == 0; });
    }));
    upstreams.clear();
    lane.io.restart();
    lane.io.poll();
  }

  void send(std::string_view text) { asio::write(client, asio::buffer(text)); }
  void chat(std::string_view extra = {}) {
    send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 2\r\n" + std::string(extra) + "\r\n{}");
  }

  /// Runs the lane until `condition` holds; false when it does not within 10 s.
  bool run_until(const std::function<bool()>& condition) {
    const auto over = steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && steady_clock::now() < over) {
      lane.io.restart();
      lane.io.run_one_for(std::chrono::milliseconds(10));
    }
    return condition();
  }
  bool gets(std::string_view text) {
    return run_until([&] { return received.find(text) != std::string::npos; });
  }

  scripted_upstream& upstream_that(std::string answer, scripted_upstream::end then) {
    auto& made = *upstreams.emplace_back(
        std::make_unique<scripted_upstream>(lane.io, std::move(answer), then));
    port->send_to(made.port());
    return made;
  }

  awaitable<void> read_client() {
    for (;;) {
      std::array<char, 4096> piece{};
      const auto [ec, n] = co_await client.async_read_some(asio::buffer(piece), use_tuple);
      received.append(piece.data(), n);
      if (ec) {
        client_end = ec;
        co_return;
      }
    }
  }

  silent_log log;
  event_ring ring{"b00t", 8};
  event_source events{ring, {}};
  http_settings settings;
  resolver_pool names;
  tls_contexts tls;
  lane_thread lane;
  scripted_port* port = nullptr;
  body_budget bodies{settings.max_bodies};
  std::unique_ptr<lane_services> services;
  scraped_router scraped;
  std::vector<std::unique_ptr<scripted_upstream>> upstreams;
  tcp_socket client{lane.io.get_executor()};
  std::string received;
  error_code client_end;
};

}  // namespace fleet::http
