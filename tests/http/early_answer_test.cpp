// SPDX-License-Identifier: MIT
// An answer that begins before its request is through, to a client that does not read yet.
#include "lane_fixture.hpp"

#include <memory>

using namespace fleet;
using namespace fleet::http;

namespace {

constexpr int room = 8 * 1024;
constexpr std::size_t upload = 8UL << 20;

/// Begins its answer at once, with more than the client has room for, and reads nothing until it is
/// told to; ends its answer when it is told that, too.
struct eager_replica {
  explicit eager_replica(asio::io_context& io)
      : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    acceptor.set_option(asio::socket_base::receive_buffer_size(room));
    asio::co_spawn(io, begin(), asio::detached);
  }

  awaitable<void> begin() {
    co_await acceptor.async_accept(socket, use_tuple);
    const std::string early =
        "HTTP/1.1 100 Continue\r\n\r\n"
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n" +
        std::string(0x8000, 'e') + "\r\n";
    co_await asio::async_write(socket, asio::buffer(early), use_tuple);
    begun = true;
  }

  awaitable<void> read() {
    std::vector<char> piece(256 * 1024);
    error_code ec;
    while (!ec && got < upload) {
      std::size_t n = 0;
      std::tie(ec, n) = co_await socket.async_read_some(asio::buffer(piece), use_tuple);
      got += n;
    }
  }

  tcp_acceptor acceptor;
  tcp_socket socket{acceptor.get_executor()};
  bool begun = false;
  std::size_t got = 0;
};

constexpr std::size_t answer_size = 1UL << 20;

std::string post(std::size_t size) {
  return "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
         std::string(size, '#');
}

/// Sends as much of a stream of 1 MiB as it is told to before it reads anything, has little room
/// for what it does not take, and then does as it is told. Answers each further request shortly.
struct writer_first : std::enable_shared_from_this<writer_first> {
  enum class then { read_on, reset, half_close, wait };

  explicit writer_first(asio::io_context& io)
      : acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    acceptor.set_option(asio::socket_base::receive_buffer_size(room));
    acceptor.set_option(asio::socket_base::send_buffer_size(room));
  }

  static std::shared_ptr<writer_first> start(asio::io_context& io, std::size_t before, then what) {
    auto made = std::make_shared<writer_first>(io);
    asio::co_spawn(io, made->run(before, what), asio::detached);
    return made;
  }

  awaitable<void> run(std::size_t before, then what) {
    const auto self = shared_from_this();
    co_await acceptor.async_accept(socket, use_tuple);
    co_await asio::async_write(socket, asio::buffer(head), use_tuple);
    const std::string event = "1000\r\n" + std::string(0x1000, '@') + "\r\n";
    for (; sent < before; sent += 0x1000) {
      const auto [ec, n] = co_await asio::async_write(socket, asio::buffer(event), use_tuple);
      if (ec) {
        left = true;
        co_return;
      }
    }
    error_code ignored;
    if (what == then::reset) {
      socket.set_option(asio::socket_base::linger(true, 0), ignored);
      socket.close(ignored);
      co_return;
    }
    if (what == then::half_close) {
      socket.shutdown(tcp_socket::shutdown_send, ignored);
    }
    while (what != then::read_on && !go_on) {
      steady_timer pause(acceptor.get_executor(), std::chrono::milliseconds(5));
      co_await pause.async_wait(use_tuple);
    }
    co_await read_all();
  }

  awaitable<void> read_all() {
    std::vector<char> piece(64 * 1024);
    for (;;) {
      const auto [ec, n] = co_await socket.async_read_some(asio::buffer(piece), use_tuple);
      if (ec) {
        left = true;
        co_return;
      }
      const auto had = got;
      got += static_cast<std::size_t>(std::count(piece.begin(), piece.begin() + long(n), '#'));
      if (had < upload && got == upload) {
        co_await asio::async_write(socket, asio::buffer(std::string_view("0\r\n\r\n")), use_tuple);
      } else if (had == upload) {
        static constexpr std::string_view again =
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain";
        co_await asio::async_write(socket, asio::buffer(again), use_tuple);
      }
    }
  }

  /// To be set before anything runs. Without a framing the stream is what it consists of.
  std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  tcp_acceptor acceptor;
  tcp_socket socket{acceptor.get_executor()};
  std::size_t sent = 0;
  std::size_t got = 0;  ///< of the upload
  bool go_on = false;
  bool left = false;  ///< the router closed the connection
};

struct client_that_uploads : lane_fixture {
  client_that_uploads() = default;
  explicit client_that_uploads(int client_room) : lane_fixture(client_room) {}

  void begin(writer_first& replica) {
    port->send_to(replica.acceptor.local_endpoint().port());
    asio::co_spawn(lane.io, send_all(post(upload)), asio::detached);
  }
  awaitable<void> send_all(std::string text) {
    co_await asio::async_write(client, asio::buffer(text), use_tuple);
  }
  [[nodiscard]] std::size_t events_received() const {
    return static_cast<std::size_t>(std::count(received.begin(), received.end(), '@'));
  }
  [[nodiscard]] bool whole() const { return received.ends_with("\r\n0\r\n\r\n"); }
};

struct client_that_dawdles : client_that_uploads {
  client_that_dawdles() : client_that_uploads(room) {}

  awaitable<void> dawdle() {
    std::array<char, 8 * 1024> piece{};
    error_code ec;
    while (!ec) {
      std::size_t n = 0;
      std::tie(ec, n) = co_await client.async_read_some(asio::buffer(piece), use_tuple);
      received.append(piece.data(), n);
      steady_timer pause(lane.io.get_executor(), std::chrono::milliseconds(1));
      co_await pause.async_wait(use_tuple);
    }
  }
};

struct client_without_room : lane_fixture {
  client_without_room() : lane_fixture(room) {}

  awaitable<void> send_all(const std::string& text) {
    co_await asio::async_write(client, asio::buffer(text), use_tuple);
  }
  /// Gives what is under way time to happen; what has not by then only makes the test weaker.
  void settle() {
    lane.io.restart();
    lane.io.run_for(std::chrono::milliseconds(200));
  }
};

}  // namespace

TEST_CASE_FIXTURE(client_without_room,
                  "what a replica sends while the client takes nothing is passed on, also when the "
                  "read that brings it began during the upload") {
  eager_replica replica(lane.io);
  port->send_to(replica.acceptor.local_endpoint().port());
  const auto request =
      "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: " + std::to_string(upload) + "\r\n\r\n" +
      std::string(upload, 'x');
  asio::co_spawn(lane.io, send_all(request), asio::detached);
  REQUIRE(run_until([&] { return replica.begun; }));
  settle();
  REQUIRE(replica.got == 0);
  asio::co_spawn(lane.io, replica.read(), asio::detached);
  REQUIRE(run_until([&] { return replica.got >= upload; }));
  settle();
  asio::write(replica.socket, asio::buffer(std::string_view("5\r\nhello\r\n0\r\n\r\n")));
  settle();
  REQUIRE(port->ended.empty());
  asio::co_spawn(lane.io, read_client(), asio::detached);
  CHECK(gets("hello\r\n0\r\n\r\n"));
  CHECK(std::count(received.begin(), received.end(), 'e') > 0x8000);
  CHECK(run_until([&] { return port->ended.size() == 1; }));
}

TEST_CASE_FIXTURE(
    client_that_uploads,
    "a replica that says much before it reads the upload is heard meanwhile, gets all "
    "of the upload, and keeps its connection") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::read_on);
  begin(*replica);
  REQUIRE(run_until([&] { return port->ended.size() == 1; }));
  CHECK(run_until([&] { return whole(); }));
  CHECK(events_received() == answer_size);
  CHECK(replica->got == upload);
  CHECK(port->ended[0].how == turn_outcome::done);
  REQUIRE(services->pool.idle_count() == 1);
  port->answers.push_back({.found = true, .where = {instance_id{1}, affinity::hit}});
  chat();
  CHECK(gets("again"));
  CHECK(run_until([&] { return port->ended.size() == 2; }));
}

TEST_CASE_FIXTURE(client_that_dawdles,
                  "a client that reads slowly slows a replica that answers during the upload, and "
                  "both get all") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::read_on);
  begin(*replica);
  REQUIRE(run_until([&] { return replica->sent > 0; }));
  lane.io.restart();
  lane.io.run_for(std::chrono::milliseconds(200));
  CHECK(replica->sent < answer_size);
  CHECK(replica->got == 0);
  asio::co_spawn(lane.io, dawdle(), asio::detached);
  REQUIRE(run_until([&] { return port->ended.size() == 1 && whole(); }));
  CHECK(events_received() == answer_size);
  CHECK(replica->got == upload);
  CHECK(port->ended[0].how == turn_outcome::done);
  CHECK(services->pool.idle_count() == 1);
}

TEST_CASE_FIXTURE(
    client_that_uploads,
    "a replica that dies in an answer it gives during the upload shows as a cut one") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::reset);
  begin(*replica);
  REQUIRE(run_until([&] { return port->ended.size() == 1 && client_end.failed(); }));
  CHECK(replica->sent == answer_size);
  CHECK(events_received() > answer_size / 4);
  CHECK_FALSE(whole());
  CHECK(port->ended[0].how == turn_outcome::replica_failed);
  CHECK(services->pool.idle_count() == 0);
}

TEST_CASE_FIXTURE(client_that_uploads,
                  "a replica that ends its side in an answer it gives during the upload shows as a "
                  "cut one, and is left") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::half_close);
  begin(*replica);
  REQUIRE(run_until([&] { return port->ended.size() == 1 && client_end.failed(); }));
  CHECK(events_received() == answer_size);
  CHECK_FALSE(whole());
  CHECK(port->ended[0].how == turn_outcome::replica_failed);
  replica->go_on = true;
  CHECK(run_until([&] { return replica->left; }));
  CHECK(replica->got < upload);
}

TEST_CASE_FIXTURE(client_that_uploads,
                  "a client that leaves in an answer that is given during the upload cancels it") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::wait);
  begin(*replica);
  REQUIRE(run_until([&] { return received.size() > answer_size; }));
  CHECK(port->ended.empty());
  client.close();
  REQUIRE(run_until([&] { return port->ended.size() == 1; }));
  CHECK(port->ended[0].how == turn_outcome::client_gone);
  replica->go_on = true;
  CHECK(run_until([&] { return replica->left; }));
  CHECK(replica->got < upload);
}

TEST_CASE_FIXTURE(client_that_uploads,
                  "an answer that is given during the upload is cut by --request-timeout") {
  settings.request_timeout = std::chrono::seconds(2);
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::wait);
  begin(*replica);
  REQUIRE(run_until([&] { return port->ended.size() == 1 && client_end.failed(); }));
  CHECK(events_received() == answer_size);
  CHECK_FALSE(whole());
  CHECK(port->ended[0].how == turn_outcome::timed_out);
  replica->go_on = true;
  CHECK(run_until([&] { return replica->left; }));
}

TEST_CASE_FIXTURE(client_that_uploads,
                  "a replica may read the upload to its end before it ends an error") {
  const auto replica = writer_first::start(lane.io, answer_size, writer_first::then::read_on);
  replica->head = "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n";
  begin(*replica);
  REQUIRE(run_until([&] { return port->ended.size() == 1 && whole(); }));
  CHECK(events_received() == answer_size);
  CHECK(replica->got == upload);
  CHECK(port->ended[0].how == turn_outcome::done);
}

TEST_CASE_FIXTURE(
    client_that_dawdles,
    "a reset during the upload is no end of an answer that ends with its connection") {
  const auto replica = writer_first::start(lane.io, answer_size / 8, writer_first::then::reset);
  replica->head = "HTTP/1.1 200 OK\r\n\r\n";
  begin(*replica);
  REQUIRE(run_until([&] { return replica->sent > 0; }));
  lane.io.restart();
  lane.io.run_for(std::chrono::milliseconds(200));
  asio::co_spawn(lane.io, dawdle(), asio::detached);
  REQUIRE(run_until([&] { return port->ended.size() == 1; }));
  CHECK(events_received() > 0);
  CHECK_FALSE(whole());
  CHECK(port->ended[0].how == turn_outcome::replica_failed);
}
