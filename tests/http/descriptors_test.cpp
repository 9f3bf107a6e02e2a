// SPDX-License-Identifier: MIT
// Turns and connections when the process has no file descriptor left.
#include "lane_fixture.hpp"

#include <optional>
#include <sys/resource.h>
#include <unistd.h>

using namespace fleet;
using namespace fleet::http;
using end = scripted_upstream::end;

namespace {

const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhol";

/// While it lives the process can open nothing, unless something is closed first.
class no_descriptors {
 public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    auto now = before_;
    const int next = ::dup(STDOUT_FILENO);
    ::close(next);
    now.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

struct starved_lane : lane_fixture {
  /// A turn at a new replica that leaves an idle connection there.
  scripted_upstream& turn_at_another() {
    auto& replica = upstream_that(whole, end::keep);
    received.clear();
    chat();
    CHECK(gets("\r\n\r\nwhol"));
    return replica;
  }
  /// Accepts only now: a replica of this process needs descriptors, too.
  bool answers_once(tcp_acceptor& replica) {
    received.clear();
    bool here = false;
    replica.async_accept(arrived, [&](error_code ec) { here = !ec; });
    if (!run_until([&] { return here; })) {
      return false;
    }
    asio::write(arrived, asio::buffer(whole));
    return gets("\r\n\r\nwhol");
  }
  std::optional<error_code> connect_to(const endpoint& where) {
    std::optional<error_code> result;
    const auto up = std::make_shared<upstream>(lane.io.get_executor(), lane.wheel, nullptr);
    asio::co_spawn(
        lane.io,
        [&, up]() -> awaitable<void> {
          result = co_await up->connect(names, where, std::chrono::seconds(5));
        },
        asio::detached);
    CHECK(run_until([&] { return !!result; }));
    up->close();
    return result;
  }

  tcp_socket arrived{lane.io.get_executor()};
};

}  // namespace

TEST_CASE_FIXTURE(starved_lane, "connecting without a descriptor says that, not cancelled") {
  tcp_acceptor replica(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  const endpoint where{"127.0.0.1", replica.local_endpoint().port()};
  {
    const no_descriptors left;
    const auto ec = connect_to(where);
    REQUIRE(ec);
    CHECK(*ec == asio::error::no_descriptors);
    CHECK(out_of_descriptors(*ec));
  }
  CHECK(connect_to(where) == error_code{});
  replica.close();
  CHECK(connect_to(where) == error_code{asio::error::connection_refused});
}

TEST_CASE_FIXTURE(starved_lane,
                  "a turn without a descriptor is overloaded and says nothing of the replica") {
  tcp_acceptor replica(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  port->send_to(replica.local_endpoint().port());
  port->answers.push_back(port->answers.front());
  {
    const no_descriptors left;
    chat();
    CHECK(gets("503"));
    CHECK(gets("overloaded"));
  }
  CHECK(run_until([&] { return port->ended.size() == 1; }));
  REQUIRE(port->ended.size() == 1);
  CHECK(to_string(port->ended.front().how) == "aborted");
  CHECK(port->asked.size() == 1);
  CHECK(log.events == std::vector<std::string>{"out_of_descriptors"});
  chat();
  CHECK(answers_once(replica));
}

TEST_CASE_FIXTURE(starved_lane, "idle connections are closed for a turn, the oldest first") {
  auto& first = turn_at_another();
  auto& second = turn_at_another();
  auto& third = turn_at_another();
  tcp_acceptor replica(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  port->send_to(replica.local_endpoint().port());
  {
    const no_descriptors left;
    chat();
    CHECK(run_until([&] { return first.left; }));
  }
  CHECK(answers_once(replica));
  CHECK_FALSE(second.left);
  CHECK_FALSE(third.left);
  CHECK(services->pool.idle_count() == 3);
}

TEST_CASE_FIXTURE(starved_lane, "a lane keeps as many connections to replicas as it has clients") {
  services->pool_share = 0;
  services->fit_pool();
  auto& first = turn_at_another();
  CHECK(services->pool.idle_count() == 1);
  auto& second = turn_at_another();
  CHECK(services->pool.idle_count() == 1);
  CHECK(run_until([&] { return first.left; }));
  CHECK_FALSE(second.left);
}

TEST_CASE_FIXTURE(starved_lane, "with few clients a lane keeps its share of idle connections") {
  services->pool_share = 2;
  services->fit_pool();
  auto& first = turn_at_another();
  turn_at_another();
  CHECK(services->pool.idle_count() == 2);
  auto& third = turn_at_another();
  CHECK(services->pool.idle_count() == 2);
  CHECK(run_until([&] { return first.left; }));
  services->pool_share = 1;
  client.close();
  CHECK(run_until([&] { return services->client_count == 0; }));
  CHECK(services->pool.idle_count() == 1);
  CHECK_FALSE(third.left);
}
