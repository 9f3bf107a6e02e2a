// SPDX-License-Identifier: MIT
// What happened to the fleet, told three times: by the log, by the events and by the metrics.
#include "system/support/fleetctl_run.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace fleet::rig;

namespace {

// The value of a series, named without the prefix of all; -1: there is none.
double value(std::uint16_t port, const std::string& series) {
  const auto text = get(port, "/metrics").body;
  const auto line = "\npypto_router_" + series + " ";
  const auto at = text.find(line);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
}

// Four slots of this machine, a device each: one that does well, one whose server ends at once, one
// whose address is taken, one whose stop command fails.
struct four_slots {
  four_slots() {
    router.emplace(R"({"hosts":[)" + host("ok", 0) + "," +
                       host("bad", 1, R"(,"serve_args":["--exit-code","3"])") + "," +
                       host("taken", 2) + "," + host("odd", 3, R"(,"stop_command":["false"])") +
                       "]}",
                   std::vector<std::string>{"--initial-replicas", "0", "--replace-after", "0.4",
                                            "--stop-grace", "1"});
  }
  ~four_slots() {
    router.reset();
    for (std::uint16_t i = 0; i < 4; ++i)
      for (const int pid : stubs_on(static_cast<std::uint16_t>(base + i)))
        ::kill(pid, SIGKILL);
  }
  four_slots(const four_slots&) = delete;
  four_slots& operator=(const four_slots&) = delete;

  std::string host(const std::string& name, int device, const std::string& more = "") const {
    return R"({"name":")" + name + R"(","devices":[)" + std::to_string(device) +
           R"(],"port_base":)" + std::to_string(base) +
           R"(,"model":"/m","serve_command":[")" FLEET_STUB_BINARY R"("],"log_dir":")" +
           dir.path() + "\"" + more + "}";
  }

  int launch(const std::string& slot) const {
    return admin(router->port(), "POST", "/replicas", R"({"slot":")" + slot + "\"}").status();
  }

  temp_dir dir;
  std::uint16_t base = free_ports(4);
  scripted_replica stranger{"stranger", answer_ok, nullptr, "127.0.0.1",
                            static_cast<std::uint16_t>(base + 2)};
  std::optional<router_process> router;
};

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("the log, the events and the metrics agree on launches, losses, stops and drains") {
  four_slots fleet;
  auto& router = *fleet.router;
  const auto now = [&](const std::string& series) { return value(router.port(), series); };
  for (const auto* series : {"launches_total{outcome=\"ready\"}", "losses_total",
                             "unconfirmed_stops_total", "drains_total{end=\"idle\"}"}) {
    CAPTURE(series);
    CHECK(now(series) == 0);
  }

  CHECK(fleet.launch("ok-d0") == 202);
  CHECK(fleet.launch("odd-d3") == 202);
  CHECK(launched_ready(router.port(), "ok-d0"));
  CHECK(launched_ready(router.port(), "odd-d3"));
  CHECK(fleet.launch("bad-d1") == 202);
  CHECK(fleet.launch("taken-d2") == 502);
  CHECK(eventually([&] { return count_of(router.log(), " launch_failed ") == 2; }));
  CHECK(admin(router.port(), "DELETE", "/replicas/odd-d3").status() == 500);
  ::kill(stubs_on(fleet.base).at(0), SIGKILL);
  CHECK(eventually([&] { return router.logged(" replacement_waits slot=ok-d0 "); }));

  struct row {
    std::string event;
    std::string series;
    int times;
  };
  const auto events = run_ctl({"--router", at_port(router.port()), "events"}).output;
  for (const auto& [event, series, times] :
       {row{"launch_failed ", "launches_total{outcome=\"failed\"}", 2},
        row{"replica_lost ", "losses_total", 1},
        row{"stop_unconfirmed ", "unconfirmed_stops_total", 1},
        row{"replica_drained ", "drains_total{end=\"idle\"}", 2},
        row{"replica_drained ", "drain_seconds_count", 2},
        row{"slot_abandoned ", "abandonments_total", 0}}) {
    CAPTURE(series);
    CHECK(count_of(router.log(), " " + event) == times);
    CHECK(count_of(events, " " + event) == times);
    CHECK(now(series) == times);
  }
  CHECK(now("launches_total{outcome=\"ready\"}") == 2);
  CHECK(now("launch_seconds_count") == 2);
  CHECK(now("unconfirmed_slots") == 1);
  CHECK(now("slots{stage=\"waiting\"}") == 1);
}

TEST_CASE("the series of probes, pins and connections move, and those of a removed replica go") {
  launched_pool p({}, {"--initial-replicas", "1"});
  REQUIRE(p.ready("n-d0"));
  const auto now = [&](const std::string& series) { return value(p.port(), series); };
  CHECK(now("pooled_connections") == 0);
  CHECK(now("pins") == 0);
  const auto* body = R"({"model":"m","messages":[{"role":"user","content":"hello"}]})";
  CHECK(exchange_once(p.port(), chat(body, session("s"))).status() == 200);
  CHECK(eventually([&] { return now("pooled_connections") == 1; }));
  CHECK(now("pins") == 1);
  CHECK(now("client_connections") >= 1);  // the scrape's own
  CHECK(now("probes_total{outcome=\"good\"}") >= 1);
  CHECK(now("probes_total{outcome=\"silent\"}") >= 1);  // before it was loaded
  CHECK(now("probe_seconds_count") >= 2);
  CHECK(now("outstanding_turns{replica=\"n-d0\"}") == 0);
  CHECK(admin(p.port(), "DELETE", "/replicas/n-d0").status() == 200);
  CHECK(get(p.port(), "/metrics").body.find("n-d0") == std::string::npos);
  CHECK(now("pins") == 0);
  CHECK(now("pin_evictions_total{cause=\"replica\"}") == 1);
  CHECK(eventually([&] { return now("pooled_connections") == 0; }));
}

TEST_CASE("the time that the router adds leaves out the replica's, before its answer and within") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.pause(300ms);
                       turn.send(std::string(stream_head) + event(0));
                       turn.pause(300ms);
                       turn.send(event(1) + std::string(last_chunk));
                     }};
  ready_router r{fleet_of({u})};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  const auto now = [&](const std::string& series) { return value(r.port(), series); };
  CHECK(eventually([&] { return now("added_seconds_count") == 1; }));
  const auto whole = now("turn_seconds_sum{replica=\"u\"}");
  CHECK(whole >= 0.6);
  CHECK(now("first_byte_seconds_sum{replica=\"u\"}") >= 0.3);
  CHECK(now("piece_gap_seconds_count{replica=\"u\"}") >= 1);
  CHECK(now("piece_gap_seconds_sum{replica=\"u\"}") >= 0.2);
  CHECK(now("added_seconds_sum") > 0);
  CHECK(now("added_seconds_sum") <= whole - 0.6);
}
