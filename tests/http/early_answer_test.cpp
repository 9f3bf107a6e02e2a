// SPDX-License-Identifier: MIT
// An answer that begins before its request is through, to a client that does not read yet.
#include "lane_fixture.hpp"

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
  CHECK(gets("5\r\nhello\r\n0\r\n\r\n"));
  CHECK(run_until([&] { return port->ended.size() == 1; }));
}
