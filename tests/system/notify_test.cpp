// SPDX-License-Identifier: MIT
// What systemd hears from a router of a unit with Type=notify.
#include "system/support/all.hpp"
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fleet::rig;

namespace {

// Stands in for systemd: a datagram socket at a path, or at `@name` in the abstract namespace.
class notify_socket {
 public:
  explicit notify_socket(std::string address) : address_(std::move(address)) {
    REQUIRE(fd_.get() >= 0);
    const auto [where, length] = place();
    REQUIRE(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&where), length) == 0);
  }

  std::pair<std::string, std::string> variable() const { return {"NOTIFY_SOCKET", address_}; }

  // The next datagram; empty when none comes.
  std::string next() const {
    pollfd entry{fd_.get(), POLLIN, 0};
    std::array<char, 4096> text{};
    if (::poll(&entry, 1, static_cast<int>(patience.count())) != 1)
      return {};
    const auto got = ::recv(fd_.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

  // Nobody can send anything any more, until somebody reads.
  void fill() const {
    const auto [where, length] = place();
    const unique_fd sender{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    while (::sendto(sender.get(), "x", 1, 0, reinterpret_cast<const sockaddr*>(&where), length) ==
           1) {
    }
    REQUIRE(errno == EAGAIN);
  }

 private:
  std::pair<sockaddr_un, socklen_t> place() const {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::memcpy(where.sun_path, address_.data(), address_.size());
    if (address_.front() == '@')
      where.sun_path[0] = '\0';
    return {where, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size())};
  }

  std::string address_;
  unique_fd fd_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

bool has_line(const std::string& text, std::string_view line) {
  return ("\n" + text + "\n").find("\n" + std::string{line} + "\n") != std::string::npos;
}

std::string no_replicas_ready() {
  return R"({"replicas":[{"host":"127.0.0.1","port":)" + std::to_string(free_ports(1)) + "}]}";
}

}  // namespace

TEST_CASE("READY=1 is said once /health answers, and STOPPING=1 after SIGTERM") {
  const temp_dir dir;
  const notify_socket systemd{dir.path() + "/notify"};
  const auto port = free_ports(1);
  child_process router{
      {.argv = {FLEET_ROUTER_BINARY, "--replicas", dir.write("fleet.json", no_replicas_ready()),
                "--host", "127.0.0.1", "--port", std::to_string(port), "--drain-timeout", "1000",
                "--stop-grace", "10"},
       .env = {systemd.variable()}}};
  const auto ready = systemd.next();
  CHECK(get(port, "/health").status() == 503);
  CHECK(has_line(ready, "READY=1"));
  CHECK(has_line(ready, "STATUS=Serving at http://127.0.0.1:" + std::to_string(port)));
  router.signal(SIGTERM);
  const auto stopping = systemd.next();
  CHECK(has_line(stopping, "STOPPING=1"));
  // The drain, two graces, five minutes for commands.
  CHECK(has_line(stopping, "EXTEND_TIMEOUT_USEC=1320000000"));
  CHECK(router.wait_exit().value_or(-1) == 0);
}

TEST_CASE("the socket to notify may be in the abstract namespace") {
  const notify_socket systemd{"@fleet-notify-" + std::to_string(::getpid())};
  router_process r{{.fleet = no_replicas_ready(), .flags = {}, .env = {systemd.variable()}}};
  CHECK(has_line(systemd.next(), "READY=1"));
  CHECK(r.stop() == 0);
  CHECK(has_line(systemd.next(), "STOPPING=1"));
}

TEST_CASE("TimeoutStopSec of the unit is what a stop with the default flags may take") {
  const temp_dir dir;
  const notify_socket systemd{dir.path() + "/notify"};
  router_process r{{.fleet = no_replicas_ready(), .flags = {}, .env = {systemd.variable()}}};
  systemd.next();
  CHECK(r.stop() == 0);
  CHECK(has_line(systemd.next(), "EXTEND_TIMEOUT_USEC=660000000"));
  std::ifstream in{FLEET_SOURCE_DIR "/packaging/pypto-serving-router.service"};
  const std::string unit{std::istreambuf_iterator<char>{in}, {}};
  CHECK(has_line(unit, "TimeoutStopSec=660"));
  CHECK(has_line(unit, "Type=notify"));
}

TEST_CASE("a launched replica does not inherit NOTIFY_SOCKET") {
  const temp_dir dir;
  const notify_socket systemd{dir.path() + "/notify"};
  const stub_host host{.devices = 1, .log_dir = dir.path()};
  router_process r{{.fleet = fleet_of(host),
                    .flags = {"--stop-grace", "5"},
                    .env = {systemd.variable(), {"FLEET_PASSED_ON", "1"}}}};
  REQUIRE(launched_ready(r.port(), "n-d0"));
  const auto pids = stubs_on(host.port(0));
  REQUIRE(pids.size() == 1);
  std::ifstream in{"/proc/" + std::to_string(pids.front()) + "/environ"};
  const std::string variables{std::istreambuf_iterator<char>{in}, {}};
  CHECK(variables.find("FLEET_PASSED_ON=") != std::string::npos);
  CHECK(variables.find("NOTIFY_SOCKET") == std::string::npos);
  CHECK(r.stop() == 0);
}

TEST_CASE("a service manager that cannot be told is a warning, once") {
  const temp_dir dir;
  const notify_socket full{dir.path() + "/notify"};
  full.fill();
  for (const auto& [address, reason] : std::vector<std::pair<std::string, std::string>>{
           {dir.path() + "/nobody", "No such file or directory"},
           {"/" + std::string(200, 'x'), "File name too long"},
           {full.variable().second, "Resource temporarily unavailable"}}) {
    CAPTURE(address);
    router_process r{
        {.fleet = no_replicas_ready(), .flags = {}, .env = {{"NOTIFY_SOCKET", address}}}};
    CHECK(r.stop() == 0);
    r.process().drain();
    const auto log = r.log();
    const auto warning = log.find("service_manager_unreachable");
    REQUIRE(warning != std::string::npos);
    CHECK(log.find(reason, warning) != std::string::npos);
    CHECK(log.find("service_manager_unreachable", warning + 1) == std::string::npos);
  }
}
