// SPDX-License-Identifier: MIT
// The router launches through an `ssh` of ours that runs the remote words here.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

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
  echo 'ssh: connect to host test port 22: Connection refused by test' >&2; exit "${status:-255}"
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
  // `more`: further members of the host, each behind a comma.
  explicit ssh_pool(const std::string& more = "",
                    std::vector<std::pair<std::string, std::string>> env = {}) {
    const auto program = dir.write("ssh", fake_ssh);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    host.log_dir = dir.path();
    host.more = R"(,"ssh":"user@127.0.0.1")" + more;
    const char* path = std::getenv("PATH");
    env.emplace_back("PATH", dir.path() + ":" + (path == nullptr ? "" : path));
    router.emplace(router_setup{.fleet = fleet_of(host),
                                .flags = {"--stop-grace", "3", "--state-file",
                                          dir.path() + "/state.json", "--log-level", "debug"},
                                .env = std::move(env)});
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

  std::string text_of(const std::string& name) const {
    std::ifstream in{dir.path() + "/" + name};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::string words() const { return text_of("words"); }

  temp_dir dir;
  stub_host host;
  std::optional<router_process> router;
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// A home with a key in it.
struct key_home {
  explicit key_home(const std::string& name) {
    std::filesystem::create_directory(dir.path() + "/.ssh");
    path = dir.write(".ssh/" + name,
                     "-----BEGIN OPENSSH PRIVATE KEY-----\n" + std::string{text} + "\n");
  }
  static constexpr std::string_view text = "c2VjcmV0LWtleS00NzEx";
  temp_dir dir;
  std::string path;
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

TEST_CASE("D88 every ssh gets the key as an absolute path, whose text is nowhere else") {
  for (const std::string name : {"k", "my key"}) {
    const key_home home{name};
    for (const auto& written : {"~/.ssh/" + name, home.path}) {
      CAPTURE(written);
      ssh_pool p(R"(,"identity_file":")" + written + "\"", {{"HOME", home.dir.path()}});
      const auto port = p.router->port();
      REQUIRE(launched_ready(port, "n-d0"));
      auto seen = p.text_of("state.json");
      CHECK(seen.find("n-d0") != std::string::npos);
      seen += admin(port, "GET", "/replicas").body + admin(port, "GET", "/slots").body;
      CHECK(admin(port, "DELETE", "/replicas/n-d0").status() == 200);
      CHECK(p.router->stop() == 0);
      const auto words = p.words();
      const auto calls = times(words, "<-o><BatchMode=yes>");
      CHECK(calls >= 2);
      CHECK(times(words, "<-o><IdentitiesOnly=yes><-i><" + home.path + ">") == calls);
      CHECK(times(words, "<-i>") == calls);
      seen += words + p.text_of("state.json") + p.text_of("n-d0.log") + p.router->log();
      CHECK(seen.find(key_home::text) == std::string::npos);
    }
  }
}

TEST_CASE(
    "D88 a key that is not there is told at start, a variable in its path is a name like any") {
  const key_home home{"k"};
  const temp_dir dir;
  const auto program = dir.write("ssh", fake_ssh);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  for (const std::string written : {"/no/such/key", "~/.ssh/none", "$HOME/.ssh/k"}) {
    CAPTURE(written);
    const stub_host host{.log_dir = dir.path(),
                         .more = R"(,"ssh":"user@127.0.0.1","identity_file":")" + written + "\""};
    const auto ran = run_router({"--replicas", dir.write("fleet.json", fleet_of(host))},
                                {{"HOME", home.dir.path()}, {"PATH", dir.path()}});
    CHECK(ran.status == 1);
    CHECK(line_count(ran.errors) == 1);
    CHECK(ran.errors.find("hosts[0].identity_file: ") != std::string::npos);
    CHECK(ran.errors.find(written.substr(written.find('/'))) != std::string::npos);
    CHECK(ran.errors.find("No such file or directory") != std::string::npos);
  }
  CHECK(!std::filesystem::exists(dir.path() + "/words"));
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
  CHECK(answer.body.find("Connection refused by test") != std::string::npos);
}
