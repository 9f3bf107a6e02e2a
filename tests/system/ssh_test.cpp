// SPDX-License-Identifier: MIT
// The router launches through an `ssh` of ours that runs the remote words here.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace fleet::rig;

namespace {

// Notes its words; fails while the file `broken` exists, with the status in it or 255, after the
// seconds behind it; else runs what stands behind the destination as sshd would: joined by blanks,
// by a shell, on pipes whose end it waits for.
constexpr std::string_view fake_ssh = R"(#!/bin/sh
dir=$(dirname "$0")
for word in "$@"; do printf '<%s>' "$word" >> "$dir/words"; done
echo >> "$dir/words"
if [ -e "$dir/broken" ]; then
  read -r status seconds < "$dir/broken"; sleep "${seconds:-0}"
  echo 'connection refused by test' >&2; exit "${status:-255}"
fi
while [ $# -gt 0 ]; do
  case $1 in
    -i|-o|-p|-l|-F) shift 2 ;;
    --) shift; break ;;
    -*) shift ;;
    *) break ;;
  esac
done
shift
{ sleep 0.2 | sh -c "$*"; echo $? >&3; } 3> "$dir/status.$$" 2>&1 | cat
read -r status < "$dir/status.$$"; rm "$dir/status.$$"; exit $status
)";

struct ssh_pool {
  ssh_pool() {
    const auto program = dir.write("ssh", fake_ssh);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    host.log_dir = dir.path();
    host.more = R"(,"ssh":"user@127.0.0.1")";
    const char* path = std::getenv("PATH");
    router.emplace(
        router_setup{.fleet = fleet_of(host),
                     .flags = {"--stop-grace", "3"},
                     .env = {{"PATH", dir.path() + ":" + (path == nullptr ? "" : path)}}});
  }
  ~ssh_pool() {
    router.reset();
    for (std::size_t i = 0; i < host.devices; ++i)
      for (const int pid : stubs_on(host.port(i)))
        ::kill(pid, SIGKILL);
  }
  ssh_pool(const ssh_pool&) = delete;
  ssh_pool& operator=(const ssh_pool&) = delete;

  // From now on ssh fails, in the way that `broken` says, and the replica is gone all the same.
  void lose(std::string_view broken) {
    dir.write("broken", broken);
    for (const int pid : stubs_on(host.port(0)))
      ::kill(pid, SIGKILL);
  }

  std::string words() const {
    std::ifstream in{dir.path() + "/words"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  temp_dir dir;
  stub_host host;
  std::optional<router_process> router;
};

}  // namespace

TEST_CASE("a host with ssh is launched on and stopped through ssh") {
  ssh_pool p;
  REQUIRE(launched_ready(p.router->port(), "n-d0"));
  CHECK(p.words().find("<-o><BatchMode=yes>") != std::string::npos);
  CHECK(p.words().find("<-o><StrictHostKeyChecking=accept-new>") != std::string::npos);
  CHECK(p.words().find("<-o><ConnectTimeout=10>") != std::string::npos);
  CHECK(exchange_once(p.router->port(), chat(R"({"messages":[]})")).status() == 200);
  CHECK(p.router->stop() == 0);
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("D36 an ssh whose pipes are waited for ends once the replica runs, and delays no exit") {
  ssh_pool p;
  REQUIRE(launched_ready(p.router->port(), "n-d0"));
  const auto start = clock::now();
  REQUIRE(admin(p.router->port(), "POST", "/replicas").status() == 202);
  CHECK(clock::now() - start < 5s);
  REQUIRE(launched_ready(p.router->port(), "n-d1"));
  const auto pid = std::to_string(stubs_on(p.host.port(1)).at(0));
  const auto target = [&](const char* number) {
    return std::filesystem::read_symlink("/proc/" + pid + "/fd/" + number).string();
  };
  CHECK(target("0") == "/dev/null");
  CHECK(target("1") == p.dir.path() + "/n-d1.log");
  CHECK(target("2") == p.dir.path() + "/n-d1.log");
  const auto stop = clock::now();
  CHECK(p.router->stop() == 0);
  CHECK(clock::now() - stop < 10s);
  CHECK(stubs_on(p.host.port(0)).empty());
  CHECK(stubs_on(p.host.port(1)).empty());
}

TEST_CASE("D50 an ssh that ends with 1 is no stop either") {
  ssh_pool p;
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  p.lose("1\n");
  CHECK(admin(port, "DELETE", "/replicas/n-d0").status() == 500);
  CHECK(admin(port, "GET", "/replicas")
            .body.find(R"("unconfirmed":[{"slot":"n-d0","reason":"stop-unconfirmed")") !=
        std::string::npos);
  CHECK(admin(port, "POST", "/replicas", R"({"slot":"n-d0"})").status() == 409);
}

TEST_CASE("D50 an ssh that ends with 255 is no stop, and the slot stays reserved") {
  ssh_pool p;
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  p.lose("");
  const auto answer = admin(port, "DELETE", "/replicas/n-d0");
  CHECK(answer.status() == 500);
  CHECK(router_error(answer.body).code == "stop_unconfirmed");
  CHECK(answer.body.find(R"("slot":"n-d0","reason":"stop-unconfirmed")") != std::string::npos);
  const auto view = admin(port, "GET", "/replicas").body;
  CHECK(view.find(R"("unconfirmed":[{"slot":"n-d0","reason":"stop-unconfirmed")") !=
        std::string::npos);
  CHECK(view.find(R"("free_slots":["n-d1"])") != std::string::npos);
  CHECK(admin(port, "POST", "/replicas", R"({"slot":"n-d0"})").status() == 409);
  CHECK(admin(port, "POST", "/slots/n-d1/release").status() == 409);
  CHECK(admin(port, "POST", "/slots/none/release").status() == 404);
  CHECK(admin(port, "POST", "/slots/n-d0/release").status() == 200);
  CHECK(admin(port, "GET", "/replicas").body.find(R"("free_slots":["n-d0","n-d1"])") !=
        std::string::npos);
}

TEST_CASE("D50 an ssh that hangs holds up nothing else, and its slot stays reserved") {
  ssh_pool p;
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  p.lose("255 3\n");
  const auto start = clock::now();
  raw_client remove{port};
  remove.send(request("DELETE", "/replicas/n-d0", ""));
  const std::string wanted = R"({"slot":"n-d0"})";
  CHECK(eventually([&] {
    return admin(port, "GET", "/slots").body.find(R"("stage":"stopping")") != std::string::npos;
  }));
  CHECK(admin(port, "POST", "/replicas", wanted).status() == 409);
  CHECK(clock::now() - start < 3s);
  const auto answer = remove.read_response("DELETE");
  CHECK(clock::now() - start > 3s);
  CHECK(answer.status() == 500);
  CHECK(router_error(answer.body).code == "stop_unconfirmed");
  CHECK(admin(port, "POST", "/replicas", wanted).status() == 409);
}

TEST_CASE("the last log line counts and names the slots that could not be confirmed") {
  ssh_pool p;
  REQUIRE(launched_ready(p.router->port(), "n-d0"));
  p.dir.write("broken", "");
  CHECK(p.router->stop() == 0);
  CHECK(p.router->logged(" warn stopped unconfirmed=1 slots=n-d0"));
}

TEST_CASE("an ssh that cannot connect is a failed launch whose last words are told") {
  ssh_pool p;
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  p.dir.write("broken", "");
  const auto answer = admin(port, "POST", "/replicas");
  CHECK(answer.status() == 502);
  CHECK(answer.body.find("connection refused by test") != std::string::npos);
}
