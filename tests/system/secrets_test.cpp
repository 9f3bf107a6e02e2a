// SPDX-License-Identifier: MIT
// The admin token, and what is said where the API needs none. docs/security.md.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

using namespace fleet::rig;

namespace {

const std::string token = "a-token-nobody-guesses-4711";

std::string text_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// How a router gets the token.
enum class given_by { file, variable };

// Notes its words and its environment, and runs what stands behind the destination.
constexpr std::string_view fake_ssh = R"(#!/bin/sh
{ echo "$@"; env; } >> "$0.seen"
while [ "$1" != -- ]; do shift; done
shift 2
exec sh -c "$*" < /dev/null
)";

// A router that launches on two hosts, one by ssh, with the token, and all that it and its clients
// said.
struct guarded_pool {
  explicit guarded_pool(given_by way) {
    host.log_dir = far.log_dir = dir.path();
    // The replica on device 2 ends at once.
    host.more =
        R"(,"launch_wrapper":["sh","-c","case \"$1\" in *'--devices 2 '*) env; exit 3;; esac; exec sh -c \"$1\"","w"])"
        R"(,"stop_command":["sh","-c","{ tr '\\0' ' ' </proc/$$/cmdline; env; } >>)" +
        dir.path() + "/stop.seen; kill `cat " + dir.path() + "/pid.{device}`\"]";
    far.more = R"(,"ssh":"user@127.0.0.1")";
    // A device of its own, as both hosts are this machine.
    auto far_entry = far.entry();
    far_entry.replace(far_entry.find("[0]"), 3, "[3]");
    const auto ssh = bin.write("ssh", fake_ssh);
    std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
    const char* path = std::getenv("PATH");
    router_setup setup{.fleet = R"({"replicas":[)" + u.entry() + R"(],"hosts":[)" + host.entry() +
                                "," + far_entry + "]}",
                       .flags = {"--state-file", dir.path() + "/state.json", "--access-log",
                                 dir.path() + "/access.log", "--log-level", "debug", "--log-format",
                                 "json", "--stop-grace", "5"},
                       .env = {{"PATH", bin.path() + ":" + (path == nullptr ? "" : path)}}};
    if (way == given_by::file)
      setup.flags.insert(setup.flags.end(),
                         {"--admin-token-file", bin.write("token", token + "\n")});
    else
      setup.env.emplace_back("PYPTO_ROUTER_ADMIN_TOKEN", token);
    router.emplace(setup);
  }
  ~guarded_pool() {
    router.reset();
    for (const auto port : {host.port(0), host.port(1), far.port(3)})
      for (const int pid : stubs_on(port))
        ::kill(pid, SIGKILL);
  }
  guarded_pool(const guarded_pool&) = delete;
  guarded_pool& operator=(const guarded_pool&) = delete;

  // For the stop command of this device.
  void note_pid(std::size_t device) const {
    dir.write("pid." + std::to_string(device), std::to_string(stubs_on(host.port(device)).at(0)));
  }
  // A request whose answer has no end.
  std::unique_ptr<raw_client> follow(const std::string& target) const {
    auto client = std::make_unique<raw_client>(router->port());
    client->send(request("GET", target, "", "Authorization: Bearer " + token + "\r\n"));
    return client;
  }

  // Sends it and keeps whatever comes back.
  message say(const std::string& bytes, const std::string& method = "POST") {
    raw_client client{router->port()};
    client.send(bytes);
    auto answer = client.read_response(method, 30s);
    heard += answer.head + answer.body;
    return answer;
  }
  message call(const std::string& method, const std::string& target,
               const std::string& authorization, const std::string& body = "") {
    return say(request(method, target, body,
                       "Connection: close\r\nAuthorization: " + authorization + "\r\n"),
               method);
  }

  temp_dir dir;
  temp_dir bin;
  scripted_replica u;
  stub_host host{.devices = 3, .port_base = free_ports(3)};
  stub_host far{.name = "far", .devices = 1, .port_base = free_ports(4)};
  std::optional<router_process> router;
  std::string heard;
};

}  // namespace

TEST_CASE("D48 the admin token is in no log, environment, argument, record, answer or request") {
  auto way = given_by::file;
  SUBCASE("from a file") {}
  SUBCASE("from a variable") {
    way = given_by::variable;
  }
  guarded_pool p(way);
  const auto bearer = "Bearer " + token;
  REQUIRE(becomes_ready(p.router->port(), "u"));
  REQUIRE(launched_ready(p.router->port(), "n-d0"));
  p.note_pid(0);
  const auto events = p.follow("/events");
  const auto log = p.follow("/slots/n-d0/log?follow=1");
  REQUIRE(events->wait_for("\r\n\r\n"));
  REQUIRE(log->wait_for("listening on"));
  // What an operator does, well and badly.
  for (const auto* target :
       {"/replicas", "/replicas/n-d0", "/slots", "/slots/n-d0/log", "/version", "/metrics",
        "/snapshot", "/sessions/a", "/dashboard", "/openapi.json", "/nowhere"})
    p.call("GET", target, bearer);
  CHECK(p.call("POST", "/replicas", bearer, R"({"slot":"n-d1"})").status() == 202);
  p.call("POST", "/replicas", bearer, R"({"slot":"n-d2"})");
  p.call("POST", "/replicas", bearer, "no json");
  p.call("POST", "/slots/n-d0/release", bearer);
  p.call("DELETE", "/replicas/u", bearer);
  p.call("PUT", "/replicas", bearer);
  CHECK(p.call("POST", "/replicas", bearer, R"({"slot":"far-d3"})").status() == 202);
  for (const auto& wrong : {"Bearer " + token + "x", "Basic " + token, token,
                            "Bearer " + token + "\r\nAuthorization: Bearer " + token})
    CHECK(p.call("GET", "/replicas", wrong).status() == 401);
  // A client that sends it where it does not belong.
  for (int i = 0; i < 4; ++i) {
    p.call("POST", "/v1/x", bearer, "{}");
    p.call("POST", "/v1/x", "bearer  " + token, "{}");
    CHECK(p.call("GET", "/v1/models", bearer).status() == 200);
  }
  CHECK(p.u.request_count() > 2);
  p.call("GET", "/health", bearer);
  // Requests that are refused with it in their head.
  p.say("GET /replicas HTTP/1.1\r\nAuthorization: " + bearer + "\r\n\r\n", "GET");
  p.say("GET /replicas HTTP/1.1\r\nHost: r\r\nAuthorization: " + bearer + "\x01\r\n\r\n", "GET");
  p.say("GET /replicas HTTP/9.9\r\nHost: r\r\nAuthorization: " + bearer + "\r\n\r\n", "GET");
  p.say("GET /v1/x HTTP/1.1\r\nHost: r\r\nAuthorization: " + bearer +
            "\r\nX-A: " + std::string(70'000, 'a') + "\r\n\r\n",
        "GET");
  CHECK(eventually([&] { return p.router->logged("launch_failed"); }));
  REQUIRE(launched_ready(p.router->port(), "n-d1"));
  REQUIRE(launched_ready(p.router->port(), "far-d3"));
  p.note_pid(1);

  std::vector<std::pair<std::string, std::string>> places;
  for (const auto& seen : p.u.requests())
    places.emplace_back("a replica's request", seen.head + seen.body);
  for (const auto port : {p.host.port(0), p.host.port(1), p.far.port(3)})
    for (const int pid : stubs_on(port))
      for (const auto* file : {"/environ", "/cmdline"})
        places.emplace_back(file, text_of("/proc/" + std::to_string(pid) + file));
  CHECK(p.call("DELETE", "/replicas/n-d0", bearer).status() == 200);
  CHECK(p.call("DELETE", "/replicas/far-d3", bearer).status() == 200);
  CHECK(events->wait_for("far-d3"));
  places.emplace_back("answers", p.heard);
  const auto router = "/proc/" + std::to_string(p.router->process().pid());
  places.emplace_back("the router's arguments", text_of(router + "/cmdline"));
  // What it was started with stays there for whoever may read the router's own memory.
  if (way == given_by::file)
    places.emplace_back("the router's environment", text_of(router + "/environ"));
  CHECK(p.router->stop() == 0);
  for (auto* each : {&events, &log}) {
    (*each)->wait_end();
    places.emplace_back("what was followed", (*each)->unread());
  }
  places.emplace_back("log", p.router->log());
  places.emplace_back("ssh", text_of(p.bin.path() + "/ssh.seen"));
  CHECK(text_of(p.bin.path() + "/ssh.seen").find("BatchMode=yes") != std::string::npos);
  CHECK(text_of(p.dir.path() + "/stop.seen").find("PATH=") != std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator{p.dir.path()})
    places.emplace_back(file.path().filename(), text_of(file.path()));
  CHECK(places.size() > 20);
  for (const auto& [place, text] : places) {
    CAPTURE(place);
    CHECK((!text.empty() || place == "state.json.lock"));
    CHECK(text.find(token) == std::string::npos);
  }
}

TEST_CASE("a token that is refused is not shown with the refusal") {
  const temp_dir dir;
  const auto fleet = dir.write("fleet.json", R"({"replicas":[{"host":"a","port":1}]})");
  const auto bad = token + " with a blank";
  for (const auto& run :
       {run_router({"--replicas", fleet, "--admin-token", bad}),
        run_router({"--replicas", fleet, "--admin-token-file", dir.write("token", bad)}),
        run_router({"--replicas", fleet}, {{"PYPTO_ROUTER_ADMIN_TOKEN", bad}})}) {
    CHECK(run.status == 2);
    CHECK(line_count(run.errors) == 1);
    CHECK(run.errors.find(token) == std::string::npos);
  }
}

TEST_CASE("an admin API that can launch, open to other machines without a token, is warned about") {
  scripted_replica u{"u"};
  const temp_dir dir;
  const auto launches = fleet_of(stub_host{.log_dir = dir.path()});
  const auto warnings = [](const std::string& fleet, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--stop-grace", "1"});
    router_process r{fleet, std::move(flags)};
    r.stop();
    const auto log = r.log();
    const auto at = log.find(" warn admin_api_open ");
    return at == std::string::npos                                 ? 0
           : log.find(" warn admin_api_open ", at + 1) == log.npos ? 1
                                                                   : 2;
  };
  const std::vector<std::string> none{"--initial-replicas", "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), none.begin(), none.end());
    return more;
  };
  CHECK(warnings(launches, with({"--host", "0.0.0.0"})) == 1);
  CHECK(warnings(launches, with({"--host", "::"})) == 1);
  CHECK(warnings(launches, with({"--host", "0.0.0.0", "--admin-token", "T"})) == 0);
  CHECK(warnings(launches, with({"--host", "127.0.0.1"})) == 0);
  CHECK(warnings(launches, with({"--host", "::1"})) == 0);
  CHECK(warnings(fleet_of({u}), {"--host", "0.0.0.0"}) == 0);
}
