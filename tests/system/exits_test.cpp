// SPDX-License-Identifier: MIT
// D30 and D82: however launched processes end, each is reaped, and nothing waits for it.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <sys/types.h>
#include <thread>

using namespace fleet::rig;

namespace {

// Asks for /health every 20 ms, beside whatever a test does.
class health_watch {
 public:
  explicit health_watch(std::uint16_t port)
      : thread_{[this, port] {
          while (!over_) {
            const auto start = clock::now();
            good_ = get(port, "/health").status() != 0 && good_;
            took_.push_back(std::chrono::duration_cast<milliseconds>(clock::now() - start));
            std::this_thread::sleep_for(20ms);
          }
        }} {}
  ~health_watch() { end(); }
  health_watch(const health_watch&) = delete;
  health_watch& operator=(const health_watch&) = delete;

  // 99 of 100 answers took no longer; -1 ms when one did not come.
  milliseconds p99() {
    end();
    std::sort(took_.begin(), took_.end());
    return good_ && !took_.empty() ? took_[took_.size() * 99 / 100] : -1ms;
  }

 private:
  void end() {
    over_ = true;
    if (thread_.joinable())
      thread_.join();
  }

  std::atomic<bool> over_ = false;
  bool good_ = true;
  std::vector<milliseconds> took_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("D30 replicas that end once they are ready leave no defunct child, ten times over") {
  launched_pool p({.devices = 1}, {"--initial-replicas", "0"});
  const auto router = p.router->process().pid();
  for (int cycle = 0; cycle < 10; ++cycle) {
    CAPTURE(cycle);
    REQUIRE(admin(p.port(), "POST", "/replicas").status() == 202);
    REQUIRE(p.ready("n-d0"));
    ::kill(stubs_on(p.host.port(0)).at(0), cycle % 2 == 0 ? SIGTERM : SIGKILL);
    REQUIRE(falls_silent(p.host.port(0)));
    CHECK(eventually([&] { return zombies_of(router) == 0; }, 5s));
    // Its process is dead already, so there is no grace to wait for.
    const auto start = clock::now();
    CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 200);
    CHECK(clock::now() - start < 4s);
    CHECK(p.capacity_has(R"("free_slots":["n-d0"])"));
  }
  CHECK(zombies_of(router) == 0);
}

TEST_CASE("D30 replicas that end and are replaced leave no defunct child, on ten slots at once") {
  constexpr std::size_t slots = 10;
  launched_pool p({.devices = slots, .port_base = free_ports(slots)},
                  {"--initial-replicas", std::to_string(slots), "--replace-after", "0.4"});
  const auto router = p.router->process().pid();
  const auto name = [](std::size_t i) { return "n-d" + std::to_string(i); };
  const auto all_end = [&] {
    for (std::size_t i = 0; i < slots; ++i) {
      REQUIRE(p.ready(name(i)));
      ::kill(stubs_on(p.host.port(i)).at(0), i % 2 == 0 ? SIGTERM : SIGKILL);
    }
    for (std::size_t i = 0; i < slots; ++i)
      REQUIRE(falls_silent(p.host.port(i)));
    CHECK(eventually([&] { return zombies_of(router) == 0; }, 5s));
  };
  all_end();
  for (std::size_t i = 0; i < slots; ++i)
    REQUIRE(eventually([&] { return !stubs_on(p.host.port(i)).empty(); }, 30s));
  all_end();
  for (std::size_t i = 0; i < slots; ++i) {
    const auto start = clock::now();
    CHECK(admin(p.port(), "DELETE", "/replicas/" + name(i)).status() == 200);
    CHECK(clock::now() - start < 4s);
  }
  CHECK(p.capacity_has(R"("unconfirmed":[],"abandoned":[],"replacing":[])"));
  CHECK(zombies_of(router) == 0);
}

TEST_CASE(
    "D82 30 launches and stops, every way to end among them, delay no answer and none is lost") {
  const temp_dir dir;
  // Ends as the file says; serves when there is none.
  launched_pool p({.devices = 1,
                   .more = R"(,"launch_wrapper":["sh","-c","read -r how <)" + dir.path() +
                           R"(/how; eval \"$how\"; exec sh -c \"$1\"","wrapper"])"},
                  {"--initial-replicas", "0"});
  health_watch idle{p.port()};
  std::this_thread::sleep_for(1s);
  const auto at_rest = idle.p99();
  REQUIRE(at_rest >= 0ms);
  health_watch watch{p.port()};
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    const int kind = i % 3;
    dir.write("how", kind == 0 ? ":\n" : kind == 1 ? "exit 3\n" : "kill -9 $$\n");
    REQUIRE(admin(p.port(), "POST", "/replicas").status() == 202);
    if (kind == 0) {
      REQUIRE(p.ready("n-d0"));
      CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 200);
      REQUIRE(falls_silent(p.host.port(0)));
      continue;
    }
    REQUIRE(p.capacity_has(R"("free_slots":["n-d0"])"));
    const auto reason = kind == 1 ? "exit status 3" : "killed by SIGKILL";
    const auto slots = admin(p.port(), "GET", "/slots").body;
    INFO(slots);
    CHECK(slots.find(reason) != std::string::npos);
  }
  const auto p99 = watch.p99();
  CAPTURE(at_rest.count());
  REQUIRE(p99 >= 0ms);
  CHECK(p99 < std::max<milliseconds>(50ms, 5 * at_rest));
  CHECK(!p.router->logged("No child processes"));
  CHECK(zombies_of(p.router->process().pid()) == 0);
}
