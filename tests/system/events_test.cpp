// SPDX-License-Identifier: MIT
// "Why did it go there?" and what happened to the fleet, with real processes.
#include "system/support/fleetctl_run.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace fleet::rig;

namespace {

// A command under way whose output can be waited for.
struct running_ctl : child_process {
  explicit running_ctl(std::vector<std::string> words)
      : child_process({.argv = std::move(words)}) {}

  bool tells(std::string_view text, milliseconds limit = patience) {
    return eventually([&] { return output_text().find(text) != std::string::npos; }, limit);
  }
};

// What the output of `fleetctl events` says of one event, in the order it says so.
std::size_t place_of(const std::string& output, std::string_view event) {
  return output.find("Z " + std::string(event) + " ");
}

}  // namespace

TEST_CASE("fleetctl events -f shows a killed replica lost, replaced and ready again") {
  ctl_pool p({.devices = 1},
             {"--initial-replicas", "1", "--health-interval", "0.2", "--replace-after", "0.4"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  running_ctl follower{p.words({"events", "-f"})};
  REQUIRE(follower.tells(" replica_phase replica=n-d0 phase=ready"));
  const auto before = follower.output_text();
  CHECK(place_of(before, "replica_launching") < place_of(before, "replica_launched"));
  ::kill(stubs_on(p.host().port(0)).at(0), SIGKILL);
  CHECK(follower.tells(" replacing slot=n-d0 ", 40s));
  CHECK(eventually([&] { return follower.output_text().rfind(" phase=ready") > before.size(); }));
  const auto after = follower.output_text().substr(before.size());
  std::size_t last = 0;
  for (const auto* event :
       {"replica_exited", "replica_lost", "replica_stopped", "replacement_waits", "replacing"}) {
    CAPTURE(event);
    CAPTURE(after);
    REQUIRE(place_of(after, event) != std::string::npos);
    CHECK(place_of(after, event) >= last);
    last = place_of(after, event);
  }
  CHECK(place_of(after, "replica_launching") != std::string::npos);
  CHECK(after.find("reason=\"killed by SIGKILL") != std::string::npos);
  follower.signal(SIGINT);
  CHECK(follower.wait_exit() == 128 + SIGINT);
}

TEST_CASE("fleetctl events prints what happened so far and ends") {
  ctl_pool p({}, {"--initial-replicas", "1"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  const auto all = p.ctl({"events"});
  CHECK(all.status == 0);
  CHECK(all.has("Z listening url="));
  CHECK(all.has(" replica_phase replica=n-d0 phase=ready\n"));
  const auto json = p.ctl({"events", "--json", "--tail", "1"});
  CHECK(json.output.starts_with(R"({"at":"20)"));
  CHECK(json.has(R"(Z","event":"replica_phase","replica":"n-d0","phase":"ready"})"));
  CHECK(line_count(json.output) == 1);
  CHECK(p.ctl({"events", "-o", "json", "--tail", "1"}).output == json.output);
  CHECK(p.ctl({"events", "-o", "name", "--tail", "1"}).output.find('-') != std::string::npos);
  CHECK(p.ctl({"events", "x"}).status == 2);
}

TEST_CASE("fleetctl events -f goes on after the router was started again") {
  const auto port = free_ports(1);
  const scripted_replica u;
  const auto fleet = fleet_of({u});
  const std::vector<std::string> flags{"--port", std::to_string(port)};
  std::optional<router_process> router;
  router.emplace(fleet, flags);
  running_ctl follower{{ctl_program(), "--router", at_port(port), "events", "-f"}};
  REQUIRE(follower.tells(" listening url="));
  router->stop();
  CHECK(follower.tells(" stopping signal=15"));
  CHECK(eventually(
      [&] { return follower.error_text().find("waiting for it") != std::string::npos; }));
  const auto before = follower.output_text().size();
  router.reset();
  router.emplace(fleet, flags);
  CHECK(eventually(
      [&] { return follower.output_text().find(" listening url=", before) != std::string::npos; }));
  CHECK(follower.error_text().find("another router process") != std::string::npos);
}

TEST_CASE("fleetctl events says why it cannot: no router, no token, too late") {
  CHECK(run_ctl({"events", "--router", at_port(1)}).status == 3);
  const scripted_replica u;
  router_process r{fleet_of({u}), {"--admin-token", "T"}};
  const auto refused = run_ctl({"events", "-f", "--router", at_port(r.port())});
  CHECK(refused.status == 1);
  CHECK(refused.complains("admin token"));
  const auto late =
      run_ctl({"events", "-f", "--token", "T", "--timeout", "0.5", "--router", at_port(r.port())});
  CHECK(late.status == 4);
  CHECK(late.has(" listening url="));
}

TEST_CASE("a session tells where it is pinned and why it moved, and its answers say so too") {
  const scripted_replica u{"u"};
  const scripted_replica v{"v"};
  router_process r{fleet_of({u, v}), {"--affinity-slack", "1"}};
  const auto words = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--router", at_port(r.port())});
    return run_ctl(more);
  };
  const auto none = words({"session", "s"});
  CHECK(none.status == 1);
  CHECK(none.complains("no session s is pinned; it may have expired"));
  const auto first = exchange_once(r.port(), chat("{}", session("s")));
  CHECK(first.get("X-Affinity") == "miss; reason=no_pin");
  const auto second = exchange_once(r.port(), chat("{}", session("s")));
  CHECK(second.get("X-Affinity") == "hit; reason=pinned");
  CHECK(exchange_once(r.port(), chat("{}")).get("X-Affinity") == "miss; reason=new_session");
  CHECK(get(r.port(), "/v1/models").get("X-Affinity") == "none; reason=no_session");
  const auto home = first.get("X-Replica");
  const auto seen = words({"session", "s"});
  CHECK(seen.status == 0);
  CHECK(seen.has("session    s\nreplica    " + home + "\n"));
  CHECK(seen.has("turns      2\nlast turn  to its pin\n"));
  CHECK_FALSE(seen.has("moved"));
  CHECK(words({"session", "s", "-o", "name"}).output == home + "\n");
  CHECK(words({"session", "s", "-o", "json"})
            .has(R"("turns":2,"in_flight":0,"last":"hit","last_move":null})"));
}

TEST_CASE("a session whose replica went away tells which one that was") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  router_process r{fleet_of({u, v})};
  const auto home = exchange_once(r.port(), chat("{}", session("s"))).get("X-Replica");
  (home == "u" ? u : v).go_away();
  message moved;
  REQUIRE(eventually([&] {
    moved = exchange_once(r.port(), chat("{}", session("s")));
    return moved.status() == 200 && moved.get("X-Replica") != home;
  }));
  CHECK(moved.get("X-Affinity") == "moved; reason=gone");
  const auto seen = admin(r.port(), "GET", "/sessions/s");
  CHECK(seen.body.find(R"("last_move":{"from":")" + home + R"(","why":"moved_gone","age_s":)") !=
        std::string::npos);
}

TEST_CASE("who follows the events sees the end of a shutdown") {
  ctl_pool p({.devices = 1}, {"--initial-replicas", "1"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  running_ctl follower{p.words({"events", "-f"})};
  REQUIRE(follower.tells(" phase=ready"));
  p.router().stop();
  CHECK(follower.tells(" replica_stopped replica=n-d0"));
  follower.signal(SIGINT);
  CHECK(follower.wait_exit() == 128 + SIGINT);
}

TEST_CASE("the events of a drain are told: it begins, it ends, the replica stops") {
  ctl_pool p({.args = {"--tokens", "8", "--token-delay-ms", "50"}}, {"--initial-replicas", "1"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  raw_client stream{p.port()};
  stream.send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(stream.read_response_head().status() == 200);
  CHECK(p.ctl({"remove", "n-d0"}).status == 0);
  const auto all = p.ctl({"events"});
  CHECK(place_of(all.output, "replica_draining") < place_of(all.output, "replica_drained"));
  CHECK(place_of(all.output, "replica_drained") < place_of(all.output, "replica_stopped"));
  CHECK(all.has(" ended=idle\n"));
}
