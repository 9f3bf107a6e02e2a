// SPDX-License-Identifier: MIT
// The admin token, and what is said where the API needs none. docs/security.md.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace fleet::rig;

namespace {

const std::string token = "a-token-nobody-guesses-4711";

std::string text_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// A router that launches on one host, with the token, and all that it and its clients said.
struct guarded_pool {
  guarded_pool() {
    host.log_dir = dir.path();
    host.devices = 3;
    // The replica on device 2 ends at once.
    host.more =
        R"(,"launch_wrapper":["sh","-c","case \"$1\" in *'--devices 2 '*) env; exit 3;; esac; exec sh -c \"$1\"","w"])";
    router.emplace(router_setup{
        .fleet = R"({"replicas":[)" + u.entry() + R"(],"hosts":[)" + host.entry() + "]}",
        .flags = {"--admin-token-file", dir.write("token", token + "\n"), "--state-file",
                  dir.path() + "/state.json", "--access-log", dir.path() + "/access.log",
                  "--log-level", "debug", "--log-format", "json", "--stop-grace", "5"}});
    std::filesystem::permissions(dir.path() + "/token", std::filesystem::perms::owner_read);
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
  scripted_replica u;
  stub_host host{.devices = 3, .port_base = free_ports(3)};
  std::optional<router_process> router;
  std::string heard;
};

}  // namespace

TEST_CASE("D48 the admin token is in no log, environment, argument, record, answer or request") {
  guarded_pool p;
  const auto bearer = "Bearer " + token;
  REQUIRE(becomes_ready(p.router->port(), "u"));
  REQUIRE(launched_ready(p.router->port(), "n-d0"));
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

  std::vector<std::pair<std::string, std::string>> places{{"answers", p.heard}};
  for (const auto& seen : p.u.requests())
    places.emplace_back("a replica's request", seen.head + seen.body);
  for (const int pid : stubs_on(p.host.port(0)))
    for (const auto* file : {"/environ", "/cmdline"})
      places.emplace_back(file, text_of("/proc/" + std::to_string(pid) + file));
  const auto router = "/proc/" + std::to_string(p.router->process().pid());
  places.emplace_back("the router's arguments", text_of(router + "/cmdline"));
  places.emplace_back("the router's environment", text_of(router + "/environ"));
  CHECK(p.router->stop() == 0);
  places.emplace_back("log", p.router->log());
  for (const auto& file : std::filesystem::directory_iterator{p.dir.path()})
    if (file.path().filename() != "token")
      places.emplace_back(file.path().filename(), text_of(file.path()));
  CHECK(places.size() > 10);
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
