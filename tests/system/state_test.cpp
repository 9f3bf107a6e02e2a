// SPDX-License-Identifier: MIT
// A router that starts where another one crashed. Spec: "If the router restarts".
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <thread>

using namespace fleet::rig;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// A pool of one host with a state file, and the routers that follow one another over it.
struct recorded_pool {
  explicit recorded_pool(stub_host given = {}, std::vector<std::string> more = {})
      : host(std::move(given)), flags(std::move(more)) {
    host.log_dir = dir.path();
    flags.insert(flags.end(), {"--stop-grace", "5", "--state-file", state});
    start();
  }
  ~recorded_pool() {
    router.reset();
    kill_stubs();
  }
  recorded_pool(const recorded_pool&) = delete;
  recorded_pool& operator=(const recorded_pool&) = delete;

  void start() { router.emplace(fleet_of(host), flags); }
  void crash() {
    router->signal(SIGKILL);
    REQUIRE(router->process().wait_exit());
    router.reset();
  }
  void restart() {
    crash();
    start();
  }
  void kill_stubs() const {
    for (std::size_t i = 0; i < host.devices; ++i)
      for (const int pid : stubs_on(host.port(i)))
        ::kill(pid, SIGKILL);
    for (std::size_t i = 0; i < host.devices; ++i) {
      eventually([&] { return stubs_on(host.port(i)).empty(); });
      falls_silent(host.port(i));
    }
  }

  // The record says from now on that this is the replica's process group.
  void record_group(int pid) const {
    const auto number = std::to_string(pid);
    const auto text = std::regex_replace(text_of(state), std::regex{R"("process_group":\d+)"},
                                         R"("process_group":)" + number);
    REQUIRE(text.find(number) != std::string::npos);
    dir.write("state.json", text);
  }

  std::uint16_t port() const { return router->port(); }
  bool ready(std::string_view name) { return launched_ready(port(), name); }
  std::string view() const { return admin(port(), "GET", "/replicas").body; }
  bool shows(std::string_view text) const {
    return eventually([&] { return view().find(text) != std::string::npos; });
  }

  // Whether a process runs on a slot that a POST would use.
  bool offers_what_is_held() const {
    const auto all = view();
    const auto free = all.substr(all.find("free_slots"), all.find("unconfirmed"));
    for (std::size_t i = 0; i < host.devices; ++i)
      if (!stubs_on(host.port(i)).empty() &&
          free.find("n-d" + std::to_string(i)) != std::string::npos)
        return true;
    return false;
  }
  // Without a record and without replicas.
  void begin_anew() {
    crash();
    kill_stubs();
    std::filesystem::remove(state);
    start();
  }

  temp_dir dir;
  std::string state = dir.path() + "/state.json";
  stub_host host;
  std::vector<std::string> flags;
  std::optional<router_process> router;
};

}  // namespace

TEST_CASE("a replica that outlives a crash of the router is adopted and turns go on") {
  recorded_pool p;
  REQUIRE(p.ready("n-d0"));
  const auto before = stubs_on(p.host.port(0));
  REQUIRE(before.size() == 1);
  p.restart();
  const auto answer = exchange_once(p.port(), chat(R"({"messages":[]})"));
  CHECK(answer.status() == 200);
  CHECK(answer.get("X-Replica") == "n-d0");
  CHECK(stubs_on(p.host.port(0)) == before);
  CHECK(stubs_on(p.host.port(1)).empty());
  CHECK(p.shows(R"("free_slots":["n-d1"])"));
  CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 200);
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("a replica that was still loading when the router died is adopted once it answers") {
  recorded_pool p({.args = {"--load-seconds", "2"}});
  REQUIRE(eventually([&] { return stubs_on(p.host.port(0)).size() == 1; }));
  const auto before = stubs_on(p.host.port(0));
  p.restart();
  CHECK(p.shows(R"("reason":"unreachable-at-startup")"));
  CHECK(p.ready("n-d0"));
  CHECK(stubs_on(p.host.port(0)) == before);
  CHECK(p.shows(R"("unconfirmed":[])"));
}

TEST_CASE("a slot whose replica gives no answer is never handed to a new launch by itself") {
  recorded_pool p({}, {"--initial-replicas", "2"});
  REQUIRE(p.ready("n-d0"));
  REQUIRE(p.ready("n-d1"));
  p.crash();
  ::kill(stubs_on(p.host.port(0)).at(0), SIGKILL);
  p.start();
  CHECK(p.shows(R"({"slot":"n-d0","reason":"unreachable-at-startup")"));
  CHECK(router_error(admin(p.port(), "POST", "/replicas").body).code == "pool_full");
  CHECK(stubs_on(p.host.port(0)).empty());
  CHECK(admin(p.port(), "POST", "/slots/n-d0/release").status() == 200);
  CHECK(admin(p.port(), "POST", "/replicas").status() == 202);
}

TEST_CASE("D12 a recorded pid that belongs to someone else by now is never signalled") {
  recorded_pool p({.devices = 1});
  REQUIRE(p.ready("n-d0"));
  p.crash();
  p.kill_stubs();
  child_process stranger{{{"setsid", "sleep", "600"}}};
  p.record_group(stranger.pid());
  p.start();
  CHECK(p.shows(R"("reason":"unreachable-at-startup")"));
  CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 500);
  CHECK(admin(p.port(), "POST", "/replicas").status() == 409);
  CHECK(stranger.running());
  CHECK(p.router->stop() == 0);
  CHECK(stranger.running());
}

TEST_CASE("D12 the stop of an adopted replica ends it, and not who has its recorded pid by now") {
  for (const bool by_exit : {false, true}) {
    CAPTURE(by_exit);
    recorded_pool p({.devices = 1});
    REQUIRE(p.ready("n-d0"));
    p.crash();
    child_process stranger{{{"setsid", "sleep", "600"}}};
    REQUIRE(eventually([&] { return ::getpgid(stranger.pid()) == stranger.pid(); }));
    p.record_group(stranger.pid());
    p.start();
    REQUIRE(p.ready("n-d0"));
    REQUIRE(stubs_on(p.host.port(0)).size() == 1);
    if (by_exit)
      CHECK(p.router->stop() == 0);
    else
      CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 200);
    CHECK(stubs_on(p.host.port(0)).empty());
    CHECK(stranger.running());
  }
}

TEST_CASE("D76 an unconfirmed stop is still reserved after a restart") {
  recorded_pool p({.devices = 1, .more = R"(,"stop_command":["sh","-c","exit 255"])"});
  REQUIRE(p.ready("n-d0"));
  REQUIRE(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 500);
  p.restart();
  CHECK(p.shows(R"({"slot":"n-d0","reason":"stop-unconfirmed")"));
  CHECK(router_error(admin(p.port(), "POST", "/replicas").body).code == "pool_full");
}

TEST_CASE("D76 a crash soon after a POST's 202 leaves no process on a slot offered as free") {
  recorded_pool p({}, {"--initial-replicas", "0"});
  for (int run = 0; run < 25; ++run) {
    CHECK(admin(p.port(), "POST", "/replicas").status() == 202);
    std::this_thread::sleep_for(milliseconds{run * 2});
    p.restart();
    CHECK_FALSE(p.offers_what_is_held());
    p.begin_anew();
  }
}

TEST_CASE("D76 a crash at any moment of a POST leaves no process on a slot offered as free") {
  recorded_pool p({}, {"--initial-replicas", "0"});
  for (int run = 0; run < 25; ++run) {
    CAPTURE(run);
    wire client(connect_to("127.0.0.1", p.port()));
    REQUIRE(client.send("POST /replicas HTTP/1.1\r\nHost: r\r\nContent-Length: 0\r\n\r\n"));
    std::this_thread::sleep_for(milliseconds{run});
    p.restart();
    CHECK_FALSE(p.offers_what_is_held());
    CHECK(admin(p.port(), "POST", "/replicas").status() != 502);
    CHECK_FALSE(p.offers_what_is_held());
    p.begin_anew();
  }
}

TEST_CASE("a state file that is corrupt or from a newer router is exit 1 and left as it is") {
  const temp_dir dir;
  const auto fleet = dir.write("fleet.json", fleet_of({.log_dir = dir.path()}));
  const std::pair<std::string, std::string> table[] = {
      {"{\"version\":1,", "line 1, column 14: incomplete JSON"},
      {R"({"version":2,"replicas":[],"reservations":[]})",
       "version: written by a newer router: expected 1, not 2"}};
  for (const auto& [text, error] : table) {
    const auto state = dir.write("state.json", text);
    const auto run = run_router({"--replicas", fleet, "--port", "0", "--state-file", state});
    CHECK(run.status == 1);
    CHECK(run.errors == "pypto-serving-router: " + state + ": " + error + "\n");
    CHECK(text_of(state) == text);
  }
}

TEST_CASE("a second router on the same state file is exit 1") {
  recorded_pool p({}, {"--initial-replicas", "0"});
  const auto fleet = p.dir.write("fleet.json", fleet_of(p.host));
  const auto run = run_router({"--replicas", fleet, "--port", "0", "--state-file", p.state});
  CHECK(run.status == 1);
  CHECK(run.errors ==
        "pypto-serving-router: " + p.state + ": another router keeps its record there\n");
}

TEST_CASE("a state file that cannot be written is exit 1") {
  const temp_dir dir;
  const auto fleet = dir.write("fleet.json", fleet_of({.log_dir = dir.path()}));
  const auto run =
      run_router({"--replicas", fleet, "--port", "0", "--state-file", dir.path() + "/no/s.json"});
  CHECK(run.status == 1);
  CHECK(line_count(run.errors) == 1);
}

TEST_CASE("a recorded slot that the file no longer declares is reported and kept in the record") {
  recorded_pool p;
  REQUIRE(p.ready("n-d0"));
  const auto before = stubs_on(p.host.port(0));
  p.crash();
  scripted_replica other{"u"};
  router_process next{R"({"replicas":[)" + other.entry() + "]}", {"--state-file", p.state}};
  const auto unconfirmed = admin(next.port(), "GET", "/replicas").body;
  CHECK(unconfirmed.find(R"({"slot":"n-d0","reason":"no-longer-declared")") != std::string::npos);
  CHECK(next.stop() == 0);
  CHECK(stubs_on(p.host.port(0)) == before);
  CHECK(text_of(p.state).find(R"("slot":"n-d0")") != std::string::npos);
  p.start();
  CHECK(exchange_once(p.port(), chat(R"({"messages":[]})")).status() == 200);
}

TEST_CASE(
    "D78 D48 an orderly exit leaves no replica on record, and the record never has the token") {
  const std::string token = "a-token-nobody-guesses";
  recorded_pool p({}, {"--admin-token", token});
  REQUIRE(p.ready("n-d0"));
  CHECK(text_of(p.state).find(R"("slot":"n-d0")") != std::string::npos);
  CHECK(text_of(p.state).find(token) == std::string::npos);
  CHECK(p.router->stop() == 0);
  CHECK(text_of(p.state) == "{\"version\":1,\"replicas\":[],\"reservations\":[]}\n");
  CHECK(stubs_on(p.host.port(0)).empty());
}
