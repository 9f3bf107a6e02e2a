// SPDX-License-Identifier: MIT
// A replica that only streams. Every POST is answered with server-sent events of 100 bytes, one
// write and one chunk each, as uvicorn does; `X-Events` and `X-Pace-Us` of the request say how many
// and how far apart. Every GET is answered with 200, for health probes.
#include "sse_event.hpp"

#include <boost/asio.hpp>

#include <cstdlib>
#include <iostream>
#include <optional>

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

constexpr std::string_view stream_head =
    "cache-control: no-cache\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    "transfer-encoding: chunked\r\n\r\n";
constexpr std::string_view health_answer =
    "HTTP/1.1 200 OK\r\nserver: sse-stub\r\ncontent-type: application/json\r\n"
    "content-length: 15\r\n\r\n{\"status\":\"ok\"}";

struct request {
  std::string head;  // in lower case
  [[nodiscard]] std::size_t number(std::string_view name) const {
    const auto at = head.find("\r\n" + std::string(name) + ":");
    return at == std::string::npos ? 0
                                   : std::strtoul(head.c_str() + at + name.size() + 3, nullptr, 10);
  }
};

awaitable<request> read_request(tcp::socket& socket, std::string& buffer) {
  const auto size = co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer),
                                                    "\r\n\r\n", use_awaitable);
  request got{buffer.substr(0, size)};
  for (char& c : got.head) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  const std::size_t whole = size + got.number("content-length");
  if (buffer.size() < whole) {
    co_await asio::async_read(socket, asio::dynamic_buffer(buffer),
                              asio::transfer_exactly(whole - buffer.size()), use_awaitable);
  }
  buffer.erase(0, whole);
  co_return got;
}

awaitable<void> stream(tcp::socket& socket, std::size_t events, std::chrono::microseconds pace) {
  const std::string head = "HTTP/1.1 200 OK\r\nserver: sse-stub\r\nx-served-by: " +
                           std::to_string(socket.local_endpoint().port()) + "\r\n" +
                           std::string(stream_head);
  co_await asio::async_write(socket, asio::buffer(head), use_awaitable);
  asio::steady_timer timer(socket.get_executor(), asio::steady_timer::clock_type::now());
  std::string chunk;
  for (; events > 0; --events) {
    if (pace.count() > 0) {
      timer.expires_at(timer.expiry() + pace);
      co_await timer.async_wait(use_awaitable);
    }
    chunk = "64\r\n" + bench::make_event() + "\r\n";
    co_await asio::async_write(socket, asio::buffer(chunk), use_awaitable);
  }
  co_await asio::async_write(socket, asio::buffer("0\r\n\r\n", 5), use_awaitable);
}

awaitable<void> serve(tcp::socket socket) {
  socket.set_option(tcp::no_delay(true));
  std::string buffer;
  try {
    for (;;) {
      const request got = co_await read_request(socket, buffer);
      if (got.head.starts_with("post ")) {
        const std::chrono::microseconds pace(got.number("x-pace-us"));
        co_await stream(socket, got.number("x-events"), pace);
      } else {
        co_await asio::async_write(socket, asio::buffer(health_answer), use_awaitable);
      }
    }
  } catch (const boost::system::system_error&) {
    // the proxy closed the connection
  }
}

awaitable<void> listen(tcp::endpoint where) {
  tcp::acceptor acceptor(co_await asio::this_coro::executor, where);
  for (;;) {
    auto socket = co_await acceptor.async_accept(use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
  }
}

void report(const std::exception_ptr& error) {
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: bench_sse_stub PORT...\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    for (int i = 1; i < argc; ++i) {
      const auto port = static_cast<std::uint16_t>(std::strtoul(argv[i], nullptr, 10));
      asio::co_spawn(context, listen({asio::ip::address_v4::loopback(), port}), report);
    }
    context.run();
  } catch (const std::exception& error) {
    std::cerr << "bench_sse_stub: " << error.what() << "\n";
    return 1;
  }
}
