// SPDX-License-Identifier: MIT
#include "resolver_pool.hpp"

#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <system_error>

using namespace fleet::http;

TEST_CASE("a name that no thread can ask for is answered, and asked for again the next time") {
  bool threads = false;
  asio::io_context io;
  resolver_pool names([&](const std::function<void()>& work) {
    if (!threads) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    asio::post(io, work);
  });
  const auto ask = [&] {
    std::optional<error_code> answer;
    names.resolve("localhost", 1, io.get_executor(),
                  [&](error_code ec, const auto&) { answer = ec; });
    io.restart();
    io.run();
    return answer;
  };
  CHECK(ask() == error_code(asio::error::no_memory));
  threads = true;
  CHECK(ask() == error_code{});
}
