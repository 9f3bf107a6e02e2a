// SPDX-License-Identifier: MIT
#include "fleet/actors/lane_bound.hpp"

#include "lane_fixture.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

using namespace fleet;
using namespace fleet::http;

#ifdef NDEBUG

static_assert(std::is_empty_v<lane_bound>);

#else

TEST_CASE("state that a lane owns belongs to the thread that touches it first") {
  const lane_bound mark;
  bool first = false;
  std::thread([&] { first = mark.here() && mark.here(); }).join();
  CHECK(first);
  CHECK_FALSE(mark.here());
}

// ThreadSanitizer lets no forked process have threads, and under AddressSanitizer some hang.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

namespace {

// The signal that ends a process in which another thread does this.
int end_of(const std::function<void()>& deed) {
  const auto child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    std::thread(deed).join();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture,
                  "another thread at a lane's connections, pool or deadlines ends it") {
  services->pool.clear();
  deadline limit(lane.wheel);
  limit.disarm();
  REQUIRE(services->client_count == 1);
  CHECK(end_of([&] { services->pool.clear(); }) == SIGABRT);
  CHECK(end_of([&] { static_cast<void>(services->pool.find({1})); }) == SIGABRT);
  CHECK(end_of([&] { limit.arm(std::chrono::seconds(1), [] {}); }) == SIGABRT);
  CHECK(end_of([&] { services->clients.front().close(); }) == SIGABRT);
  CHECK(end_of([] {}) == 0);
}

#endif

#endif
