// SPDX-License-Identifier: MIT
// Failures of other projects of this kind, by their D number, on a real router that launches.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sys/types.h>

using namespace fleet::rig;

using pool = launched_pool;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// What the descriptors of a process are open on, but for what has no name of its own.
std::set<std::string> held_by(int pid) {
  std::set<std::string> targets;
  for (const auto& fd :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"}) {
    std::error_code gone;
    auto target = std::filesystem::read_symlink(fd.path(), gone).string();
    if (!gone && !target.starts_with("/dev/") && !target.starts_with("anon_inode:"))
      targets.insert(std::move(target));
  }
  return targets;
}

std::unique_ptr<raw_client> stream_from(std::uint16_t port) {
  auto client = std::make_unique<raw_client>(port);
  client->send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(client->wait_for("data: "));
  return client;
}

const std::vector<std::string> endless{"--tokens", "100000", "--token-delay-ms", "50"};

// Members of a host for the fleet file: a wrapper that runs this script with the command as $1.
std::string wrapper(const std::string& script) {
  return R"(,"launch_wrapper":["sh","-c",")" + script + R"(","wrapper"])";
}

}  // namespace

TEST_CASE("D16 what is launched while a stream is open holds nothing of it, and a restart binds") {
  const auto port = free_ports(1);
  pool p({}, {"--initial-replicas", "1", "--port", std::to_string(port)});
  REQUIRE(p.ready("n-d0"));
  const auto stream = stream_from(port);
  REQUIRE(admin(port, "POST", "/replicas").status() == 202);
  REQUIRE(p.ready("n-d1"));
  const auto routers = held_by(p.router->process().pid());
  REQUIRE(routers.size() > 5);
  for (const auto& target : held_by(stubs_on(p.host.port(1)).at(0)))
    CHECK(!routers.contains(target));
  p.router->signal(SIGKILL);
  REQUIRE(p.router->process().wait_exit());
  CHECK(!raw_client{port}.open());
  const auto start = clock::now();
  router_process again{fleet_of(p.host), {"--port", std::to_string(port), "--stop-grace", "5"}};
  CHECK(again.port() == port);
  CHECK(clock::now() - start < 5s);
  CHECK(get(port, "/health").status() != 0);
}

TEST_CASE("D22 a Ctrl-C for the whole group ends the router only, after the stream") {
  stub_host host{.args = {"--tokens", "20", "--token-delay-ms", "50"}};
  const temp_dir dir;
  host.log_dir = dir.path();
  const router_setup setup{
      .fleet = fleet_of(host), .flags = {"--stop-grace", "5"}, .wrapper = {"setsid"}};
  router_process r{setup};
  REQUIRE(launched_ready(r.port(), "n-d0"));
  REQUIRE(::getpgid(r.process().pid()) == r.process().pid());
  const auto stream = stream_from(r.port());
  ::kill(-r.process().pid(), SIGINT);
  CHECK(stream->wait_for("[DONE]"));
  CHECK(r.process().wait_exit() == 0);
  CHECK(stubs_on(host.port(0)).empty());
}

TEST_CASE("D42 however a wrapper leaves the server, it becomes ready, and DELETE tells the truth") {
  for (const std::string script : {R"(setsid sh -c \"$1\" & exit 0)", R"(sh -c \"$1\")",
                                   R"(trap '' TERM; sh -c \"$1\"; true)"}) {
    CAPTURE(script);
    pool p({.devices = 1, .more = wrapper(script)});
    REQUIRE(p.ready("n-d0"));
    CHECK(router_error(admin(p.port(), "POST", "/replicas").body).code == "pool_full");
    const auto answer = admin(p.port(), "DELETE", "/replicas/n-d0");
    CHECK(answer.status() == 200);
    CHECK(stubs_on(p.host.port(0)).empty());
    CHECK(get(p.host.port(0), "/health").status() == 0);
    CHECK(p.capacity_has(R"("free_slots":["n-d0"])"));
  }
}

TEST_CASE("D42 a stop that says it is done while the address answers is unconfirmed") {
  pool p({.devices = 1, .more = R"(,"stop_command":["true"])"});
  REQUIRE(p.ready("n-d0"));
  const auto answer = admin(p.port(), "DELETE", "/replicas/n-d0");
  CHECK(answer.status() == 500);
  CHECK(router_error(answer.body).code == "stop_unconfirmed");
  CHECK(p.capacity_has(R"("unconfirmed":[{"slot":"n-d0","reason":"stop-unconfirmed")"));
  CHECK(router_error(admin(p.port(), "POST", "/replicas").body).code == "pool_full");
  CHECK(stubs_on(p.host.port(0)).size() == 1);
}

TEST_CASE("D62 every way to write a DELETE or a POST of a replica is understood or refused") {
  scripted_replica u{""};
  pool p({.devices = 4, .port_base = free_ports(4)}, {"--initial-replicas", "0"},
         R"({"host":"127.0.0.1","port":)" + std::to_string(u.port()) + "}");
  const auto port = std::to_string(u.port());
  REQUIRE(p.ready("127.0.0.1:" + port));
  const auto status = [&](std::string_view method, const std::string& target) {
    return admin(p.port(), method, target).status();
  };
  CHECK(status("DELETE", "/replicas/127.0.0.1:" + port) == 409);
  CHECK(status("DELETE", "/replicas/127.0.0.1%3A" + port) == 409);
  CHECK(status("DELETE", "/replicas/127.0.0.1%3a" + port) == 409);
  CHECK(status("DELETE", "/replicas/nope") == 404);
  CHECK(status("DELETE", "/replicas/") == 404);
  CHECK(status("DELETE", "/replicas") == 405);
  CHECK(status("PUT", "/replicas") == 405);
  const std::string post = "POST /replicas HTTP/1.1\r\nHost: r\r\nConnection: close\r\n";
  for (const auto& form : {post + "\r\n", post + "Content-Length: 0\r\n\r\n",
                           post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                           post + "Content-Length: 2\r\n\r\n{}"}) {
    CAPTURE(form);
    CHECK(exchange_once(p.port(), form).status() == 202);
  }
  CHECK(admin(p.port(), "POST", "/replicas", std::string(1'000'000, ' ')).status() == 409);
  CHECK(admin(p.port(), "POST", "/replicas", std::string(1'000'000, 'x')).status() == 400);
  CHECK(admin(p.port(), "POST", "/replicas", std::string(2'000'000, ' ')).status() == 413);
  REQUIRE(p.ready("n-d1"));
  CHECK(status("DELETE", "/replicas/n-d1?x=1") == 200);
  CHECK(exchange_once(p.port(), chat(R"({"messages":[]})")).status() == 200);
  CHECK(health(p.port()).at("127.0.0.1:" + port).ready);
}

TEST_CASE("D66 an endless stream holds no exit past the drain, with one signal or two") {
  const std::vector<std::vector<int>> ways{{SIGTERM}, {SIGTERM, SIGTERM}, {SIGINT, SIGTERM}};
  for (const auto& signals : ways) {
    CAPTURE(signals.size());
    pool p({.devices = 1, .args = endless}, {"--drain-timeout", signals.size() == 1 ? "1" : "60"});
    REQUIRE(p.ready("n-d0"));
    const auto stream = stream_from(p.port());
    const auto start = clock::now();
    for (const int number : signals) {
      p.router->signal(number);
      CHECK(eventually([&] { return p.router->logged(" stopping "); }));
      CHECK(eventually([&] { return !raw_client{p.port()}.open(); }));
    }
    CHECK(p.router->process().wait_exit() == 0);
    CHECK(clock::now() - start < 10s);
    CHECK(stubs_on(p.host.port(0)).empty());
    CHECK(stream->wait_end() != read_state::timeout);
    CHECK(!has(stream->unread(), "[DONE]"));
  }
}

TEST_CASE("D78 an exit leaves no process of any phase and begins no launch") {
  scripted_replica u{"u"};
  const temp_dir dir;
  const auto state = dir.path() + "/state.json";
  // The replica on device 1 never loads.
  const auto script =
      R"(case \"$1\" in *'--devices 1 '*) exec sh -c \"$1 --load-seconds 600\";; esac; exec sh -c \"$1\")";
  pool p({.devices = 4, .port_base = free_ports(4), .args = endless, .more = wrapper(script)},
         {"--initial-replicas", "4", "--health-interval", "0.2", "--replace-after", "0.4",
          "--drain-timeout", "1", "--state-file", state},
         u.entry());
  for (const auto* name : {"n-d0", "n-d2", "n-d3"})
    REQUIRE(p.ready(name));
  REQUIRE(!stubs_on(p.host.port(1)).empty());
  ::kill(stubs_on(p.host.port(2)).at(0), SIGKILL);
  REQUIRE(eventually([&] { return p.router->logged("replacement_waits"); }));
  // Streams until one is at the replica to be drained.
  std::vector<std::unique_ptr<raw_client>> streams;
  while (outstanding(p.port(), "n-d3") == 0 && streams.size() < 20) {
    streams.push_back(std::make_unique<raw_client>(p.port()));
    streams.back()->send(chat(R"({"messages":[],"stream":true})"));
    REQUIRE(streams.back()->read_response_head().status() == 200);
  }
  raw_client deletes{p.port()};
  deletes.send(request("DELETE", "/replicas/n-d3", ""));
  REQUIRE(eventually([&] { return health(p.port()).at("n-d3").draining; }));
  p.router->signal(SIGTERM);
  CHECK(p.router->process().wait_exit(30s) == 0);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(stubs_on(p.host.port(i)).empty());
  const auto log = p.router->log();
  CHECK(!has(log.substr(log.find(" stopping ")), "replica_launched"));
  CHECK(get(u.port(), "/health").status() == 200);
  std::ifstream in{state};
  const std::string record{std::istreambuf_iterator<char>{in}, {}};
  CHECK(record == "{\"version\":1,\"replicas\":[],\"reservations\":[]}\n");
}
