// SPDX-License-Identifier: MIT
// The whole router with a host behind an OpenSSH server.
#include "launch/support/real_sshd.hpp"

#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

using namespace fleet::rig;

namespace {

bool no_server() {
  const auto why = real_sshd::missing();
  if (!why.empty())
    MESSAGE("skipped: ", why);
  return !why.empty();
}

// A router with a host behind this server, and whatever it leaves running killed in the end.
struct far_pool {
  explicit far_pool(const std::string& destination, const std::string& key = {}) {
    host.log_dir = dir.path();
    host.more = R"(,"ssh":")" + destination + R"(","address":"127.0.0.1")";
    if (!key.empty())
      host.more += R"(,"identity_file":")" + key + "\"";
    router.emplace(router_setup{.fleet = fleet_of(host), .flags = {"--stop-grace", "3"}});
  }
  ~far_pool() {
    router.reset();
    for (std::size_t i = 0; i < host.devices; ++i)
      kill_replica(i);
  }
  far_pool(const far_pool&) = delete;
  far_pool& operator=(const far_pool&) = delete;

  void kill_replica(std::size_t device) const {
    for (const int pid : stubs_on(host.port(device)))
      ::kill(pid, SIGKILL);
  }

  temp_dir dir;
  stub_host host;
  std::optional<router_process> router;
};

void serve_and_stop(const far_pool& p) {
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  const auto answer = exchange_once(port, chat(R"({"messages":[]})"));
  CHECK(answer.status() == 200);
  CHECK(answer.get("X-Replica") == "n-d0");
  CHECK(stubs_on(p.host.port(0)).size() == 1);
  CHECK(admin(port, "DELETE", "/replicas/n-d0").status() == 200);
  CHECK(stubs_on(p.host.port(0)).empty());
}

}  // namespace

TEST_CASE("over a real sshd, by an alias: launched, a turn served, stopped, nothing left") {
  if (no_server())
    return;
  const real_sshd server;
  serve_and_stop(far_pool{real_sshd::alias()});
}

TEST_CASE("over a real sshd, by ssh://user@host:port: launched, a turn served, stopped") {
  if (no_server())
    return;
  const real_sshd server;
  serve_and_stop(far_pool{server.destination(), server.key()});
}

TEST_CASE(
    "a stop without a connection is unconfirmed, and the slot reserved until it is released") {
  if (no_server())
    return;
  real_sshd server;
  const far_pool p{server.destination(), server.key()};
  const auto port = p.router->port();
  REQUIRE(launched_ready(port, "n-d0"));
  server.down();
  const auto answer = admin(port, "DELETE", "/replicas/n-d0");
  CHECK(answer.status() == 500);
  CHECK(router_error(answer.body).code == "stop_unconfirmed");
  CHECK(stubs_on(p.host.port(0)).size() == 1);
  CHECK(admin(port, "POST", "/replicas", R"({"slot":"n-d0"})").status() == 409);
  server.up();
  p.kill_replica(0);
  // An address that takes a connection is one in use, so a launch on it would be refused.
  REQUIRE(falls_silent(p.host.port(0)));
  CHECK(admin(port, "POST", "/slots/n-d0/release").status() == 200);
  const auto again = admin(port, "POST", "/replicas", R"({"slot":"n-d0"})");
  INFO(again.body);
  CHECK(again.status() == 202);
  CHECK(launched_ready(port, "n-d0"));
}
