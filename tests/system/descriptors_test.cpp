// SPDX-License-Identifier: MIT
// What the router does with few file descriptors: they suffice for every turn, and where there is
// none it is no replica's fault.
#include "system/support/launched_fleet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sys/resource.h>
#include <thread>

using namespace fleet::rig;

namespace {

constexpr std::size_t crowd_size = 16;
const std::vector<std::string> sticky{"--threads", "1", "--affinity-slack", "1000",
                                      "--health-interval"};

std::vector<std::string> sticky_with(std::vector<std::string> flags) {
  flags.insert(flags.begin(), sticky.begin(), sticky.end());
  return flags;
}

// The number that the next descriptor of a process will have.
rlim_t next_descriptor(pid_t process) {
  std::set<rlim_t> open;
  for (const auto& each :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    const auto name = each.path().filename().string();
    rlim_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    open.insert(number);
  }
  rlim_t next = 0;
  while (open.contains(next))
    ++next;
  return next;
}

// While it lives a process can open nothing.
class starvation {
 public:
  explicit starvation(pid_t process) : process_{process} {
    ::prlimit(process_, RLIMIT_NOFILE, nullptr, &before_);
    auto now = before_;
    // The lowest of several looks: a probe may have been under way.
    for (int look = 0; look < 20; ++look) {
      now.rlim_cur = std::min(now.rlim_cur, next_descriptor(process_));
      std::this_thread::sleep_for(5ms);
    }
    REQUIRE(::prlimit(process_, RLIMIT_NOFILE, &now, nullptr) == 0);
  }
  starvation(const starvation&) = delete;
  starvation& operator=(const starvation&) = delete;
  ~starvation() { ::prlimit(process_, RLIMIT_NOFILE, &before_, nullptr); }

 private:
  pid_t process_;
  rlimit before_{};
};

message ask(raw_client& client, std::string_view target) {
  client.send(request("GET", target, ""));
  return client.read_response("GET");
}

message turn(raw_client& client, std::string_view id) {
  client.send(chat("{}", session(id)));
  return client.read_response();
}

// Answers so late that a crowd's turns are all under way at once.
void answer_late(replica_turn& turn) {
  turn.read_body();
  turn.pause(100ms);
  turn.send(response("200 OK", "{}"));
}

// Sessions by the replica that they are pinned to, `crowd_size` for each of these.
std::map<std::string, std::vector<std::string>> pins_of(std::uint16_t port,
                                                        const std::vector<std::string>& names) {
  std::map<std::string, std::vector<std::string>> pins;
  const auto enough = [&] {
    return std::all_of(names.begin(), names.end(),
                       [&](const auto& name) { return pins[name].size() >= crowd_size; });
  };
  raw_client client{port};
  for (int i = 0; i < 500 && !enough(); ++i) {
    const auto id = "s" + std::to_string(i);
    pins[turn(client, id).get("X-Replica")].push_back(id);
  }
  REQUIRE(enough());
  return pins;
}

using crowd = std::vector<std::unique_ptr<raw_client>>;

// All of the crowd ask one replica at once, then the next; how many answers were a 200.
std::size_t go_round(const crowd& clients, const std::vector<std::string>& names,
                     std::map<std::string, std::vector<std::string>>& pins) {
  std::size_t good = 0;
  for (const auto& name : names) {
    for (std::size_t i = 0; i < crowd_size; ++i)
      clients[i]->send(chat("{}", session(pins[name][i])));
    for (const auto& each : clients)
      good += each->read_response().status() == 200 ? 1 : 0;
  }
  return good;
}

}  // namespace

TEST_CASE("without a descriptor a turn is overloaded, probes are inconclusive, no replica failed") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v})};
  raw_client client{r.port()};
  REQUIRE(ask(client, "/health").status() == 200);
  {
    const starvation now{r.process().pid()};
    const auto answer = turn(client, "s");
    CHECK(answer.status() == 503);
    CHECK(answer.get("Retry-After") == "1");
    CHECK(router_error(answer.body).code == "overloaded");
    // More of them than would take a replica out of rotation.
    CHECK(eventually([&] {
      const auto text = ask(client, "/metrics").body;
      const std::string_view line = R"(probes_total{outcome="inconclusive"} )";
      const auto at = text.find(line);
      return at != std::string::npos && std::stoi(text.substr(at + line.size())) >= 6;
    }));
    CHECK(ask(client, "/metrics").body.find(R"(probes_total{outcome="silent"} 0)") !=
          std::string::npos);
    CHECK(ask(client, "/health").body.find(R"("replicas_ready":2)") != std::string::npos);
    CHECK(turn(client, "s").status() == 503);
  }
  CHECK(turn(client, "s").status() == 200);
  CHECK(r.logged("out_of_descriptors"));
  CHECK_FALSE(r.logged("replica_connect_failed"));
  CHECK_FALSE(r.logged("phase=failed"));
}

TEST_CASE("without a descriptor an idle connection to another replica is closed for a turn") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  router_process r{fleet_of({u, v}), sticky_with({"60"})};
  REQUIRE(becomes_ready(r.port(), "u"));
  REQUIRE(becomes_ready(r.port(), "v"));
  raw_client client{r.port()};
  const auto first = turn(client, "a").get("X-Replica");
  const auto second = turn(client, "b").get("X-Replica");
  REQUIRE(first != second);
  REQUIRE(eventually([&] { return u.open_connections() + v.open_connections() == 0; }));
  REQUIRE(turn(client, "a").status() == 200);
  const starvation now{r.process().pid()};
  const auto answer = turn(client, "b");
  CHECK(answer.status() == 200);
  CHECK(answer.get("X-Replica") == second);
  CHECK(eventually([&] { return (first == "u" ? u : v).open_connections() == 0; }, 2s));
  CHECK_FALSE(r.logged("out_of_descriptors"));
}

TEST_CASE("64 descriptors serve every turn of as many clients as fit, whatever stands idle") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  scripted_replica w{"w"};
  const std::vector<std::string> names{"u", "v", "w"};
  router_process r{
      router_setup{.fleet = fleet_of({u, v, w}), .flags = sticky_with({"0.2"}), .max_files = 64}};
  for (const auto& name : names)
    REQUIRE(becomes_ready(r.port(), name));
  auto pins = pins_of(r.port(), names);
  for (auto* each : {&u, &v, &w})
    each->on_request(answer_late);
  const auto clients = many_clients(r.port(), crowd_size);
  for (int round = 0; round < 4; ++round)
    CHECK(go_round(clients, names, pins) == names.size() * crowd_size);
  CHECK(health(r.port()).replicas_ready == 3);
  for (const auto* event : {"replica_connect_failed", "out_of_descriptors", "phase=failed"})
    CHECK_FALSE(r.logged(event));
}

TEST_CASE("a launched replica is neither retired nor kept from its stop for want of descriptors") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  scripted_replica w{"w"};
  const std::vector<std::string> names{"u", "v", "w"};
  const launched_pool p{{.devices = 1},
                        sticky_with({"0.2", "--replace-after", "0.5"}),
                        u.entry() + "," + v.entry() + "," + w.entry(),
                        64};
  for (const auto& name : names)
    REQUIRE(p.ready(name));
  REQUIRE(p.ready("n-d0"));
  auto pins = pins_of(p.port(), names);
  for (auto* each : {&u, &v, &w})
    each->on_request(answer_late);
  auto clients = many_clients(p.port(), crowd_size);
  for (int round = 0; round < 4; ++round)
    CHECK(go_round(clients, names, pins) == names.size() * crowd_size);
  CHECK(health(p.port()).at("n-d0").phase == "ready");
  CHECK_FALSE(p.router->logged("replica_lost"));

  raw_client operator_of{p.port()};
  REQUIRE(ask(operator_of, "/health").status() == 200);
  u.on_request(stay_mute);
  for (std::size_t i = 0; i < crowd_size; ++i)
    clients[i]->send(chat("{}", session(pins["u"][i])));
  REQUIRE(eventually([&] { return u.open_connections() >= crowd_size; }));
  const auto more = many_clients(p.port(), 30);
  operator_of.send(request("DELETE", "/replicas/n-d0", ""));
  const auto answer = operator_of.read_response("DELETE", 30s);
  CHECK(answer.status() == 200);
  CHECK(answer.body.find(R"("stopped":true)") != std::string::npos);
  CHECK(stubs_on(p.host.port(0)).empty());
}
