// SPDX-License-Identifier: MIT
// The router launches and stops real processes on this machine. Spec: "Launching Replicas".
#include "system/support/fleetctl_run.hpp"
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/types.h>
#include <thread>

using namespace fleet::rig;

using pool = launched_pool;

TEST_CASE("one replica is launched at startup and serves once it answers") {
  pool p;
  CHECK(p.ready("n-d0"));
  CHECK(stubs_on(p.host.port(0)).size() == 1);
  CHECK(stubs_on(p.host.port(1)).empty());
  const auto view = admin(p.port(), "GET", "/replicas").body;
  CHECK(view.find(R"("owned":true)") != std::string::npos);
  CHECK(view.find(R"("slot":"n-d0","devices":[0],"host":"n","log":")") != std::string::npos);
  CHECK(view.find(R"("free_slots":["n-d1"])") != std::string::npos);
  CHECK(exchange_once(p.port(), chat(R"({"messages":[]})")).status() == 200);
  CHECK(!p.log_of("n-d0").empty());
}

TEST_CASE("where a replica was launched is for those with the admin token, not for /health") {
  pool p;
  REQUIRE(p.ready("n-d0"));
  const auto health = get(p.port(), "/health").body;
  CHECK(health.find(R"("name":"n-d0")") != std::string::npos);
  for (const auto* secret : {"devices", "\"host\"", "\"slot\"", "\"log\""}) {
    CAPTURE(secret);
    CHECK(health.find(secret) == std::string::npos);
  }
}

TEST_CASE("POST answers 202 and the poller promotes it; 409 when the pool is full") {
  pool p({}, {"--initial-replicas", "0"});
  for (const auto* name : {"n-d0", "n-d1"}) {
    const auto answer = admin(p.port(), "POST", "/replicas");
    CHECK(answer.status() == 202);
    CHECK(answer.get("Location") == std::string{"/replicas/"} + name);
    CHECK(p.ready(name));
  }
  const auto full = admin(p.port(), "POST", "/replicas");
  CHECK(full.status() == 409);
  CHECK(router_error(full.body).code == "pool_full");
}

TEST_CASE("--max-replicas lowers the ceiling below the declared pool") {
  pool p({}, {"--max-replicas", "1"});
  CHECK(p.ready("n-d0"));
  CHECK(p.capacity_has(R"("ceiling":1,"free_slots":[])"));
  CHECK(router_error(admin(p.port(), "POST", "/replicas").body).code == "at_ceiling");
}

TEST_CASE("DELETE lets the stream in flight end whole before the replica is stopped") {
  pool p({.args = {"--tokens", "10", "--token-delay-ms", "100"}});
  REQUIRE(p.ready("n-d0"));
  raw_client client{p.port()};
  client.send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(client.read_response_head().status() == 200);
  const auto answer = admin(p.port(), "DELETE", "/replicas/n-d0");
  CHECK(answer.status() == 200);
  CHECK(answer.body.find(R"("stopped":true)") != std::string::npos);
  CHECK(client.wait_for("[DONE]"));
  CHECK(stubs_on(p.host.port(0)).empty());
  CHECK(p.capacity_has(R"("free_slots":["n-d0","n-d1"])"));
  CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 404);
}

TEST_CASE("D80 concurrent DELETEs share one stop, and none of them meets the name's next holder") {
  const temp_dir dir;
  const auto stops = dir.path() + "/stops";
  const auto at = [&](const char* name) { return dir.path() + "/" + name; };
  // Ends the replica once it may.
  pool p({.more = R"(,"stop_command":["sh","-c","echo x >> )" + stops + "; until [ -e " + at("go") +
                  " ]; do sleep 0.05; done; kill -9 `cat " + at("pid") + "`\"]"});
  const auto runs = [&] {
    REQUIRE(p.ready("n-d0"));
    dir.write("pid", std::to_string(stubs_on(p.host.port(0)).at(0)));
  };
  const auto remove = request("DELETE", "/replicas/n-d0", "");
  runs();
  raw_client first{p.port()};
  raw_client second{p.port()};
  first.send(remove);
  second.send(remove);
  REQUIRE(eventually([&] { return text_of_file(stops) == "x\n"; }));
  // One more a second later, one whose client leaves, one that has another behind it.
  std::this_thread::sleep_for(1s);
  raw_client third{p.port()};
  raw_client leaves{p.port()};
  raw_client twice{p.port()};
  third.send(remove);
  leaves.send(remove);
  twice.send(remove + remove);
  CHECK(throughout(500ms, [&] { return stubs_on(p.host.port(0)).size() == 1; }));
  leaves.close();
  dir.write("go", "");
  const auto answer = first.read_response("DELETE");
  CHECK(answer.status() == 200);
  for (auto* client : {&second, &third, &twice}) {
    const auto same = client->read_response("DELETE");
    CHECK(same.status() == 200);
    CHECK(same.body == answer.body);
  }
  CHECK(twice.read_response("DELETE").status() == 404);
  CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 404);
  CHECK(text_of_file(stops) == "x\n");

  REQUIRE(falls_silent(p.host.port(0)));
  CHECK(admin(p.port(), "POST", "/replicas", R"({"slot":"n-d0"})").status() == 202);
  runs();
  const auto holder = stubs_on(p.host.port(0));
  CHECK(throughout(1s, [&] {
    return stubs_on(p.host.port(0)) == holder && !health(p.port()).at("n-d0").draining;
  }));
  CHECK(text_of_file(stops) == "x\n");
}

TEST_CASE("D62 a static replica is never stopped") {
  scripted_replica u{"u"};
  pool p({}, {"--initial-replicas", "0"}, u.entry());
  REQUIRE(p.ready("u"));
  const auto answer = admin(p.port(), "DELETE", "/replicas/u");
  CHECK(answer.status() == 409);
  CHECK(router_error(answer.body).code == "not_owned");
  CHECK(exchange_once(p.port(), chat()).status() == 200);
}

TEST_CASE("a launch that exits before it is ready frees its slot and says how it ended") {
  pool p({.args = {"--exit-code", "3"}}, {"--initial-replicas", "0"});
  CHECK(admin(p.port(), "POST", "/replicas").status() == 202);
  CHECK(eventually([&] { return p.router->logged("exit status 3"); }));
  CHECK(p.capacity_has(R"("free_slots":["n-d0","n-d1"])"));
}

TEST_CASE("a launch that is never ready is stopped after --launch-timeout and its slot freed") {
  pool p({.args = {"--load-seconds", "600"}}, {"--launch-timeout", "1"});
  CHECK(eventually([&] { return stubs_on(p.host.port(0)).size() == 1; }));
  CHECK(p.capacity_has(R"("free_slots":["n-d0","n-d1"])"));
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("something that already answers at the address is a failed launch and not touched") {
  stub_host host;
  child_process stranger{
      {{FLEET_STUB_BINARY, "--model", "x", "--port", std::to_string(host.port(0))}}};
  REQUIRE(eventually([&] { return get(host.port(0), "/health").status() == 200; }));
  pool p(host, {"--initial-replicas", "0"});
  const auto answer = admin(p.port(), "POST", "/replicas", R"({"slot":"n-d0"})");
  CHECK(answer.status() == 502);
  CHECK(answer.body.find("address_in_use") != std::string::npos);
  CHECK(stranger.running());
}

TEST_CASE("D16 a launched replica holds nothing of the router's") {
  pool p({.args = {"--token-delay-ms", "1000"}});
  REQUIRE(p.ready("n-d0"));
  const auto pid = stubs_on(p.host.port(0)).front();
  for (const auto& fd :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"}) {
    const auto number = std::stoi(fd.path().filename().string());
    std::error_code ignored;
    const auto target = std::filesystem::read_symlink(fd.path(), ignored).string();
    if (number == 0)
      CHECK(target == "/dev/null");
    if (number == 1 || number == 2)
      CHECK(target == p.host.log_dir + "/n-d0.log");
  }
  CHECK(::getsid(pid) != ::getsid(p.router->process().pid()));
  CHECK(::getsid(pid) != ::getsid(0));
  const auto port = p.port();
  p.router->signal(SIGKILL);
  REQUIRE(p.router->process().wait_exit());
  CHECK(!stubs_on(p.host.port(0)).empty());
  CHECK(get(port, "/health").status() == 0);
}

TEST_CASE("SIGTERM stops every replica that was launched, in whatever phase, and no other") {
  scripted_replica u{"u"};
  pool p({.devices = 3, .port_base = free_ports(3)}, {"--initial-replicas", "2"}, u.entry());
  REQUIRE(p.ready("n-d0"));
  REQUIRE(p.ready("n-d1"));
  CHECK(admin(p.port(), "POST", "/replicas").status() == 202);
  CHECK(p.router->stop() == 0);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(stubs_on(p.host.port(i)).empty());
  CHECK(get(u.port(), "/health").status() == 200);
}

TEST_CASE("D22 an interrupt for the router's group leaves a launched replica to end its stream") {
  pool p({.args = {"--tokens", "20", "--token-delay-ms", "50"}});
  REQUIRE(p.ready("n-d0"));
  const auto pid = stubs_on(p.host.port(0)).front();
  // A terminal's Ctrl-C goes to a process group: the replica is in none of the router's.
  CHECK(::getpgid(pid) != ::getpgid(p.router->process().pid()));
  raw_client client{p.port()};
  client.send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(client.read_response_head().status() == 200);
  p.router->signal(SIGINT);
  CHECK(client.wait_for("[DONE]"));
  CHECK(p.router->process().wait_exit() == 0);
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("D66 a second signal ends the drain and orphans nothing") {
  pool p({.args = {"--tokens", "100000", "--token-delay-ms", "50"}});
  REQUIRE(p.ready("n-d0"));
  raw_client client{p.port()};
  client.send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(client.read_response_head().status() == 200);
  p.router->signal(SIGTERM);
  CHECK(eventually([&] { return p.router->logged("stopping"); }));
  CHECK(throughout(300ms, [&] { return p.router->process().running(); }));
  p.router->signal(SIGINT);
  CHECK(p.router->process().wait_exit() == 0);
  CHECK(stubs_on(p.host.port(0)).empty());
}

TEST_CASE("a DELETE under way is answered though a second signal ends the drain") {
  pool p({.args = {"--ignore-sigterm"}});
  REQUIRE(p.ready("n-d0"));
  raw_client client{p.port()};
  client.send("DELETE /replicas/n-d0 HTTP/1.1\r\nHost: r\r\n\r\n");
  REQUIRE(eventually([&] {
    return admin(p.port(), "GET", "/slots").body.find(R"("stage":"stopping")") != std::string::npos;
  }));
  p.router->signal(SIGTERM);
  CHECK(eventually([&] { return p.router->logged("stopping"); }));
  p.router->signal(SIGTERM);
  const auto answer = client.read_response();
  CHECK(answer.status() == 200);
  CHECK(answer.body.find(R"("stopped":true)") != std::string::npos);
  CHECK(p.router->process().wait_exit() == 0);
}

TEST_CASE("D30 no defunct children are left, however a replica ends") {
  pool p({.args = {"--die-after-seconds", "0.2"}}, {"--initial-replicas", "0"});
  for (int i = 0; i < 5; ++i)
    admin(p.port(), "POST", "/replicas");
  CHECK(eventually([&] { return zombies_of(p.router->process().pid()) == 0; }));
  const auto begun = clock::now();
  admin(p.port(), "DELETE", "/replicas/n-d0");
  CHECK(clock::now() - begun < 5s);
}

TEST_CASE("D48 the admin token reaches neither child nor replica nor log") {
  const std::string token = "very-secret-token";
  stub_host host;
  temp_dir dir;
  host.log_dir = dir.path();
  const router_setup setup{.fleet = fleet_of(host),
                           .flags = {"--stop-grace", "5"},
                           .env = {{"PYPTO_ROUTER_ADMIN_TOKEN", token}}};
  router_process r{setup};
  REQUIRE(launched_ready(r.port(), "n-d0"));
  const auto pid = std::to_string(stubs_on(host.port(0)).front());
  for (const auto* file : {"/environ", "/cmdline"}) {
    std::ifstream in{"/proc/" + pid + file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    CHECK(text.find(token) == std::string::npos);
  }
  CHECK(admin(r.port(), "GET", "/replicas").status() == 401);
  CHECK(r.stop() == 0);
  CHECK(!r.logged(token));
  CHECK(stubs_on(host.port(0)).empty());
}
