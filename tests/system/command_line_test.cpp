// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr std::string_view one_replica =
    R"({"replicas":[{"name":"node0","host":"127.0.0.1","port":8001}]})";

// One line on stderr with all of these in it, and this status.
void fails(const run_result& run, int status, const std::vector<std::string>& parts) {
  CAPTURE(run.errors);
  CHECK(run.status == status);
  CHECK(line_count(run.errors) == 1);
  for (const auto& part : parts) {
    CAPTURE(part);
    CHECK(holds(run.errors, part));
  }
}

run_result run_with(std::vector<std::string> flags, std::string_view fleet = one_replica) {
  const temp_dir dir;
  const auto file = dir.write("fleet.json", fleet);
  flags.insert(flags.begin(), {"--replicas", file});
  return run_router(flags);
}

}  // namespace

TEST_CASE("invalid arguments are exit 2 with one line that names the flag") {
  fails(run_router({}), 2, {"--replicas"});
  fails(run_with({"--no-such-flag"}), 2, {"no-such-flag"});
  fails(run_with({"stray"}), 2, {"stray"});
  fails(run_with({"--port"}), 2, {"--port"});
  fails(run_with({"--port", "1", "--port", "2"}), 2, {"--port"});
  fails(run_with({"--host", "not an address"}), 2, {"--host"});
  fails(run_with({"--log-level", "loud"}), 2, {"--log-level", "loud"});
  fails(run_with({"--log-format", "xml"}), 2, {"--log-format", "xml"});
}

TEST_CASE("a number out of range is exit 2 with one line naming flag and value and range") {
  struct row {
    const char* flag;
    std::vector<const char*> values;
  };
  const std::vector<row> rows{
      {"--port", {"65536", "-1", "abc", "80x", "", "1e3"}},
      {"--threads", {"0", "-1", "1000000"}},
      {"--session-ttl", {"-1", "nan", "inf", "1h"}},
      {"--max-sessions", {"-1", "99999999999999999999"}},
      {"--affinity-slack", {"-1", "1.5"}},
      {"--health-interval", {"0", "-0.1", "1e99"}},
      {"--request-timeout", {"0", "-1"}},
      {"--connect-timeout", {"0", "-1"}},
      {"--max-body", {"-1", "x"}},
      {"--max-bodies", {"0", "x"}},
      {"--max-clients", {"0", "x"}},
      {"--header-timeout", {"0", "-1"}},
      {"--client-timeout", {"0", "-1"}},
      {"--idle-timeout", {"0", "-1"}},
      {"--initial-replicas", {"-1", "one"}},
      {"--max-replicas", {"-1"}},
      {"--launch-timeout", {"-1"}},
      {"--drain-timeout", {"-1"}},
      {"--stop-grace", {"-1"}},
      {"--replace-after", {"-1"}},
      {"--stable-after", {"-1"}},
  };
  for (const auto& row : rows)
    for (const auto* value : row.values) {
      CAPTURE(value);
      // As one word: a value that begins with a dash is not taken for a flag.
      const auto run = run_with({std::string{row.flag} + "=" + value});
      fails(run, 2, {row.flag, value});
    }
  fails(run_with({"--port", "65536"}), 2, {"0", "65535"});
}

TEST_CASE("--help and --version are exit 0") {
  const auto help = run_router({"--help"});
  CHECK(help.status == 0);
  for (const auto* flag : {"--replicas",
                           "--host",
                           "--port",
                           "--threads",
                           "--session-ttl",
                           "--max-sessions",
                           "--affinity-slack",
                           "--health-interval",
                           "--request-timeout",
                           "--connect-timeout",
                           "--max-body",
                           "--max-bodies",
                           "--max-clients",
                           "--header-timeout",
                           "--client-timeout",
                           "--idle-timeout",
                           "--initial-replicas",
                           "--max-replicas",
                           "--launch-timeout",
                           "--drain-timeout",
                           "--stop-grace",
                           "--replace-after",
                           "--stable-after",
                           "--state-file",
                           "--admin-token",
                           "--admin-token-file",
                           "--log-level",
                           "--log-format",
                           "--check"}) {
    CAPTURE(flag);
    CHECK(holds(help.output, flag));
  }
  const auto version = run_router({"--version"});
  CHECK(version.status == 0);
  CHECK(line_count(version.output) == 1);
}

TEST_CASE("a fleet file that is missing or unreadable or no JSON is exit 1") {
  fails(run_router({"--replicas", "/nowhere/fleet.json"}), 1, {"/nowhere/fleet.json"});
  fails(run_router({"--replicas", "/"}), 1, {"/"});
  fails(check_fleet("{\n  \"replicas\": [,]\n}"), 1, {"fleet.json", "2", "16"});
  fails(check_fleet(""), 1, {"fleet.json"});
}

TEST_CASE("an invalid fleet file is exit 1 with one line naming file and entry and key") {
  const auto refused = [](std::string_view text, const std::vector<std::string>& parts) {
    CAPTURE(text);
    fails(check_fleet(text), 1, parts);
  };
  const std::string good = R"({"host":"127.0.0.1","port":8001})";
  refused("[]", {"fleet.json"});
  refused("{}", {"fleet.json"});
  refused(R"({"replicas":[],"hosts":[]})", {"fleet.json"});
  refused(R"({"replica":[]})", {"fleet.json", "replica"});
  refused(R"({"replicas":[)" + good + R"(,{"host":"a","port":0}]})", {"replicas[1].port"});
  refused(R"({"replicas":[{"host":"a","port":65536}]})", {"replicas[0].port"});
  refused(R"({"replicas":[{"host":"a","port":"80"}]})", {"replicas[0].port"});
  refused(R"({"replicas":[{"host":"a"}]})", {"replicas[0].port"});
  refused(R"({"replicas":[{"port":1}]})", {"replicas[0].host"});
  refused(R"({"replicas":[{"host":"a","port":1,"colour":"red"}]})", {"replicas[0]", "colour"});
  refused(R"({"replicas":[{"host":"a","port":1,"scheme":"ftp"}]})", {"replicas[0].scheme"});
  refused(R"({"replicas":[)" + good + "," + good + "]}", {"replicas[1]"});
  refused(R"({"replicas":[{"name":"x","host":"a","port":1},{"name":"x","host":"b","port":1}]})",
          {"replicas[1].name"});
  refused(R"({"hosts":[{"devices":[0,1,2,3,4,5],"devices_per_replica":8,"model":"m"}]})",
          {"fleet.json: hosts[0].devices: 6 devices are not a multiple of devices_per_replica=8"});
  refused(R"({"hosts":[{"devices":[],"model":"m"}]})", {"hosts[0].devices"});
  refused(R"({"hosts":[{"devices":[0,0],"model":"m"}]})", {"hosts[0].devices"});
  refused(R"({"hosts":[{"devices":[-1],"model":"m"}]})", {"hosts[0].devices"});
  refused(R"({"hosts":[{"devices":[0]}]})", {"hosts[0].model"});
  refused(
      R"({"replicas":[{"host":"127.0.0.1","port":8001}],"hosts":[{"devices":[0],"model":"m"}]})",
      {"hosts[0]"});
}

TEST_CASE("--check validates the fleet file and prints the slot table and exits 0") {
  const auto run = check_fleet(
      R"({"replicas":[{"name":"far","host":"10.0.0.2","port":9000}],
          "hosts":[{"name":"big","devices":[0,1,2,3],"devices_per_replica":2,"model":"/m"},
                   {"ssh":"user@node02","devices":[5],"model":"/m"}]})");
  CHECK(run.status == 0);
  CHECK(run.errors.empty());
  for (const auto* part : {"far", "10.0.0.2:9000", "big-d0", "big-d2", "127.0.0.1:8001",
                           "127.0.0.1:8003", "0,1", "2,3", "host1-d5", "node02:8006"}) {
    CAPTURE(part);
    CHECK(holds(run.output, part));
  }
}

TEST_CASE("--check also prints what is allowed but odd") {
  const auto run = check_fleet(R"({"hosts":[{"devices":[0],"model":"/m","identity_file":"/k"}]})");
  CHECK(run.status == 0);
  CHECK(holds(run.output, "host0-d0"));
  CHECK(holds(run.errors, "pypto-serving-router: warning: "));
  CHECK(holds(run.errors, "fleet.json: hosts[0].identity_file: has no use without ssh\n"));
}

TEST_CASE("D74 only the known placeholders expand and each time they occur") {
  const auto run = check_fleet(
      R"({"hosts":[{"name":"h","devices":[4,5],"devices_per_replica":2,"port_base":9000,
          "model":"/m",
          "serve_args":["{\"a\":1}","{unknown}","{{device}}","{port}-{port}","{devices}"],
          "env":{"B":"b_d{device}"},
          "launch_wrapper":["submit","--device","{device}","--run"]}]})");
  CAPTURE(run.errors);
  CHECK(run.status == 0);
  for (const auto* part :
       {R"({"a":1})", "{unknown}", "{4}", "9004-9004", "4,5", "submit --device 4 --run"}) {
    CAPTURE(part);
    CHECK(holds(run.output, part));
  }
  CHECK(!holds(run.output, "{device"));
  CHECK(!holds(run.output, "{port"));
}

TEST_CASE("--initial-replicas above the pool is exit 1") {
  fails(run_with({"--initial-replicas", "3"}, R"({"hosts":[{"devices":[0,1],"model":"m"}]})"), 1,
        {"--initial-replicas", "3", "2"});
}

TEST_CASE("a port that is taken is exit 1 with one line") {
  const auto taken = listen_on("127.0.0.1", 0);
  const auto port = std::to_string(local_port(taken.get()));
  const auto run = run_with({"--host", "127.0.0.1", "--port", port});
  CHECK(run.status == 1);
  CHECK(holds(run.errors, port));
}

TEST_CASE("port 0 picks a free port and logs it") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  ready_router s{fleet_of({u})};
  CHECK(r.port() != 0);
  CHECK(r.port() != s.port());
  CHECK(holds(r.log(), "url=http://127.0.0.1:" + std::to_string(r.port())));
}

TEST_CASE("an IPv6 address is bound and logged in brackets") {
  scripted_replica u;
  router_process r{fleet_of({u}), {"--host", "::1"}};
  CHECK(holds(r.log(), "url=http://[::1]:" + std::to_string(r.port())));
  raw_client client{r.port(), "::1"};
  client.send(chat());
  CHECK(client.read_response().status() == 200);
  CHECK(u.last_request().get("X-Forwarded-For") == "::1");
}

TEST_CASE("--threads is the number of lanes and of little more") {
  scripted_replica u;
  ready_router one{fleet_of({u}), {"--threads", "1"}};
  ready_router six{fleet_of({u}), {"--threads", "6"}};
  CHECK(six.process().threads() == one.process().threads() + 5);
  for (int i = 0; i < 20; ++i)
    CHECK(exchange_once(six.port(), chat()).status() == 200);
}

TEST_CASE("--log-format json writes one object a line") {
  scripted_replica u;
  router_process r{fleet_of({u}), {"--log-format", "json"}};
  REQUIRE(becomes_ready(r.port(), "u"));
  CHECK(r.stop() == 0);
  r.process().drain();
  const auto text = r.log();
  std::string_view log = text;
  CHECK(line_count(log) >= 2);
  while (!log.empty()) {
    const auto line = log.substr(0, log.find('\n'));
    CHECK(line.front() == '{');
    CHECK(line.back() == '}');
    log.remove_prefix(std::min(log.size(), line.size() + 1));
  }
}

TEST_CASE("the admin token is printed nowhere") {
  constexpr std::string_view secret = "hush-4711-token";
  scripted_replica u;
  const temp_dir dir;
  const std::vector<router_setup> setups{
      {.fleet = fleet_of({u}),
       .flags = {"--log-level", "debug", "--admin-token", std::string{secret}}},
      {.fleet = fleet_of({u}),
       .flags = {"--log-level", "debug", "--admin-token-file", dir.write("token", secret)}},
      {.fleet = fleet_of({u}),
       .flags = {"--log-level", "debug"},
       .env = {{"PYPTO_ROUTER_ADMIN_TOKEN", std::string{secret}}}}};
  for (const auto& setup : setups) {
    router_process r{setup};
    REQUIRE(becomes_ready(r.port(), "u"));
    const auto bearer = "Authorization: Bearer " + std::string{secret} + "\r\n";
    exchange_once(r.port(), "GET /replicas HTTP/1.1\r\nHost: r\r\n" + bearer + "\r\n", "GET");
    exchange_once(r.port(), "GET /replicas HTTP/1.1\r\nHost: r\r\n\r\n", "GET");
    CHECK(exchange_once(r.port(), chat()).status() == 200);
    CHECK(!holds(u.last_request().head, secret));
    CHECK(r.stop() == 0);
    r.process().drain();
    CHECK(!holds(r.log(), secret));
    CHECK(!holds(r.process().output_text(), secret));
  }
}
