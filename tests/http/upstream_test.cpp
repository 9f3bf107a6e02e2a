// SPDX-License-Identifier: MIT
#include "upstream.hpp"

#include "deadline_wheel.hpp"
#include "resolver_pool.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

using namespace fleet;
using namespace fleet::http;
using namespace std::chrono_literals;

namespace {

/// How connecting to `host` within this time ends, with a name server that never says a word.
error_code connected_to(const std::string& host, std::chrono::milliseconds limit) {
  asio::io_context io;
  deadline_wheel wheel(io.get_executor());
  resolver_pool names([](const std::function<void()>&) {});
  auto connection = std::make_shared<upstream>(io.get_executor(), wheel, nullptr);
  const endpoint where{.host = host, .port = 9};
  std::optional<error_code> result;
  asio::co_spawn(io, connection->connect(names, where, limit),
                 [&](std::exception_ptr, error_code ec) {
                   result = ec;
                   io.stop();
                 });
  io.run_for(20s);
  connection->close();
  return result.value();
}

}  // namespace

TEST_CASE("a limit that strikes before the name server has answered says nothing of the replica") {
  CHECK(connected_to("replica.invalid", 50ms) == asio::error::host_not_found_try_again);
}

TEST_CASE("a replica that refuses connections says so, whatever the name server does") {
  CHECK(connected_to("127.0.0.1", 5s) == asio::error::connection_refused);
}
