// SPDX-License-Identifier: MIT
// Several lanes at a time, each on its own thread. Without actors, so that ThreadSanitizer sees
// all.
#include "fleet/http/lane_threads.hpp"

#include "lane_fixture.hpp"
#include "listener.hpp"
#include "system/support/deadline.hpp"

#include <boost/asio/read.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

using namespace fleet;
using namespace fleet::http;

namespace {

template <class F>
void on_lane(lane_threads& lanes, std::size_t lane, F work) {
  std::promise<void> done;
  lanes.post(lane, [&] {
    work();
    done.set_value();
  });
  done.get_future().get();
}

// One lane that serves, with a scripted fleet of one replica behind it.
struct served_lane {
  served_lane(lane_threads& lanes, std::size_t at, const http_settings& settings,
              tcp_acceptor acceptor, std::uint16_t replica, std::size_t turns) {
    auto scripted = std::make_unique<scripted_port>();
    scripted->specs[{1}] = {"u", {"127.0.0.1", replica}};
    scripted->answers.assign(turns, {.found = true, .where = {{1}, affinity::fresh}});
    port = scripted.get();
    services = std::make_unique<lane_services>(lanes.at(at), lanes.names(), lanes.tls(),
                                               std::move(scripted), settings, log, events, bodies);
    room = {.lanes = {services.get()}, .most = 1000};
    listening = std::make_shared<listener>(*services, std::move(acceptor), room);
  }

  silent_log log;
  event_ring ring{"boot"};
  event_source events{ring, {}};
  scripted_port* port = nullptr;
  body_budget bodies{1 << 20};
  std::unique_ptr<lane_services> services;
  client_room room;
  std::shared_ptr<listener> listening;
};

// So many turns, each on a connection of its own; gives how many were answered.
std::size_t take_turns(const tcp::endpoint& where, std::size_t count) {
  std::size_t good = 0;
  for (std::size_t i = 0; i < count; ++i) {
    asio::io_context io;
    tcp_socket socket(io.get_executor());
    socket.connect(where);
    asio::write(socket, asio::buffer(std::string_view(
                            "POST /v1/x HTTP/1.1\r\nHost: r\r\nConnection: close\r\n"
                            "Content-Length: 2\r\n\r\n{}")));
    std::string answer;
    error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    good += answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nok") ? 1 : 0;
  }
  return good;
}

}  // namespace

TEST_CASE("what is posted to a lane from many threads runs on its thread, all of it and in order") {
  constexpr int posts = 500;
  constexpr int posters = 4;
  lane_threads lanes(2);
  lanes.start();
  // Of the lanes alone: no lock guards them.
  std::array<std::array<std::vector<int>, posters>, 2> ran;
  std::array<int, 2> elsewhere{};
  std::vector<std::thread> threads;
  for (int who = 0; who < posters; ++who)
    threads.emplace_back([&, who] {
      for (int i = 0; i < posts; ++i)
        for (std::size_t lane = 0; lane < 2; ++lane)
          lanes.post(lane, [&, who, i, lane] {
            ran[lane][static_cast<std::size_t>(who)].push_back(i);
            elsewhere[lane] += lanes.current() == lane ? 0 : 1;
          });
    });
  for (auto& each : threads)
    each.join();
  CHECK(lanes.current() == lane_driver::npos);
  lanes.stop();
  for (std::size_t lane = 0; lane < 2; ++lane) {
    CHECK(elsewhere[lane] == 0);
    for (const auto& of_one : ran[lane]) {
      CHECK(of_one.size() == posts);
      CHECK(std::is_sorted(of_one.begin(), of_one.end()));
    }
  }
}

TEST_CASE("connections are spread evenly over the lanes, however the kernel spreads them") {
  constexpr std::size_t clients = 40;
  lane_threads lanes(2);
  tcp::endpoint where(asio::ip::address_v4::loopback(), 0);
  error_code failed;
  auto acceptors = open_acceptors({lanes.at(0).io.get_executor()}, where, failed);
  REQUIRE_FALSE(failed);
  // The second lane gets none from the kernel.
  tcp::endpoint unused(asio::ip::address_v4::loopback(), 0);
  acceptors.push_back(
      std::move(open_acceptors({lanes.at(1).io.get_executor()}, unused, failed).front()));
  lanes.start();
  const http_settings settings;
  std::vector<std::unique_ptr<served_lane>> served;
  for (std::size_t i = 0; i < 2; ++i)
    served.push_back(
        std::make_unique<served_lane>(lanes, i, settings, std::move(acceptors[i]), 1, 0));
  const std::vector<lane_services*> all{served[0]->services.get(), served[1]->services.get()};
  for (auto& lane : served)
    lane->room.lanes = all;
  on_lane(lanes, 0, [&] { served[0]->listening->start(); });

  asio::io_context io;
  std::vector<tcp_socket> sockets;
  const auto count = [&](std::size_t lane) { return served[lane]->services->client_count.load(); };
  for (std::size_t i = 0; i < clients; ++i)
    sockets.emplace_back(io.get_executor()).connect(where);
  CHECK(rig::eventually([&] { return count(0) + count(1) == clients; }));
  CHECK(count(0) <= count(1) + 4);
  CHECK(count(1) <= count(0) + 4);
  // One that has moved is served.
  for (auto& socket : sockets) {
    asio::write(socket, asio::buffer(std::string_view("GET /version HTTP/1.1\r\nHost: r\r\n"
                                                      "Connection: close\r\n\r\n")));
    std::string answer;
    error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    CHECK(answer.starts_with("HTTP/1.1 200"));
  }
  CHECK(rig::eventually([&] { return count(0) + count(1) == 0; }));
  for (std::size_t i = 0; i < 2; ++i)
    on_lane(lanes, i, [&] { served[i]->listening->stop(); });
  lanes.stop();
}

TEST_CASE("lanes side by side serve clients on one port, each with its own connections") {
  constexpr std::size_t clients = 4;
  constexpr std::size_t turns = 25;
  asio::io_context replica_io;
  scripted_upstream replica(replica_io, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                            scripted_upstream::end::keep);
  const auto replica_port = replica.port();
  lane_threads lanes(2);
  tcp::endpoint where(asio::ip::address_v4::loopback(), 0);
  error_code failed;
  auto acceptors =
      open_acceptors({lanes.at(0).io.get_executor(), lanes.at(1).io.get_executor()}, where, failed);
  REQUIRE_FALSE(failed);
  lanes.start();
  std::thread replica_thread([&] { replica_io.run(); });

  const http_settings settings;
  std::vector<std::unique_ptr<served_lane>> served;
  for (std::size_t i = 0; i < 2; ++i) {
    served.push_back(std::make_unique<served_lane>(lanes, i, settings, std::move(acceptors[i]),
                                                   replica_port, clients * turns));
    on_lane(lanes, i, [&] { served[i]->listening->start(); });
  }
  std::atomic<std::size_t> good = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i)
    threads.emplace_back([&] { good += take_turns(where, turns); });
  for (auto& each : threads)
    each.join();
  CHECK(good == clients * turns);

  std::size_t ended = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    on_lane(lanes, i, [&] {
      served[i]->listening->stop();
      for (auto at = served[i]->services->clients.begin();
           at != served[i]->services->clients.end();)
        (at++)->close();
      served[i]->services->pool.clear();
    });
    const auto over = steady_clock::now() + std::chrono::seconds(10);
    for (std::size_t left = 1; left != 0 && steady_clock::now() < over;)
      on_lane(lanes, i, [&] {
        left = served[i]->services->client_count;
        ended += left == 0 ? served[i]->port->ended.size() : 0;
      });
  }
  CHECK(ended == clients * turns);
  lanes.stop();
  served.clear();
  replica_io.stop();
  replica_thread.join();
}
