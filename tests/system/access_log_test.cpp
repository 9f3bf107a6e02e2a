// SPDX-License-Identifier: MIT
#include "system/support/fleetctl_run.hpp"

#include "fleet/core/harmless.hpp"

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace fleet::rig;
namespace json = boost::json;

namespace {

std::size_t lines_in(const std::string& file) {
  return line_count(text_of_file(file));
}

}  // namespace

TEST_CASE("SIGUSR1 has the access log opened anew, and no turn is lost between the files") {
  scripted_replica u{"u", answer_ok};
  const temp_dir dir;
  const auto file = dir.path() + "/access.log";
  ready_router r{fleet_of({u}), {"--access-log", file}};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(eventually([&] { return lines_in(file) == 1; }));
  std::filesystem::rename(file, file + ".1");
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  r.signal(SIGUSR1);
  CHECK(eventually([&] { return std::filesystem::exists(file); }));
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(r.stop() == 0);
  CHECK(lines_in(file + ".1") == 2);
  CHECK(lines_in(file) == 1);
  const auto line = json::parse(text_of_file(file)).as_object();
  CHECK(line.at("replica").as_string() == "u");
  CHECK(line.at("end").as_string() == "done");
}

TEST_CASE("--access-log - writes to standard output") {
  scripted_replica u{"u", answer_ok};
  ready_router r{fleet_of({u}), {"--access-log", "-"}};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(eventually([&] { return r.process().output_text().starts_with("{\"time\":"); }));
}

TEST_CASE("an access log that cannot be opened ends the router with one line") {
  scripted_replica u;
  const temp_dir dir;
  const auto ran = run_router({"--replicas", dir.write("fleet.json", fleet_of({u})), "--access-log",
                               dir.path() + "/no/such.log"});
  CHECK(ran.status == 1);
  CHECK(line_count(ran.errors) == 1);
  CHECK(ran.errors.find("--access-log " + dir.path() + "/no/such.log: No such file") !=
        std::string::npos);
}

TEST_CASE("SIGUSR1 and SIGUSR2 end no router, not one that drains either") {
  scripted_replica u{"u", stay_mute};
  ready_router r{fleet_of({u})};
  raw_client waiting{r.port()};
  waiting.send(chat());
  REQUIRE(eventually([&] { return u.request_count() == 1; }));
  for (const int number : {SIGUSR1, SIGUSR2})
    r.signal(number);
  CHECK(get(r.port(), "/health").status() == 200);
  r.signal(SIGTERM);
  REQUIRE(eventually([&] { return r.logged("stopping"); }));
  for (const int number : {SIGUSR1, SIGUSR2})
    r.signal(number);
  CHECK(!r.process().wait_exit(300ms).has_value());
  CHECK(!r.logged("second_signal"));
  waiting.close();
  CHECK(r.process().wait_exit().value_or(-1) == 0);
}

TEST_CASE("log lines are valid UTF-8 whatever an X-Request-Id holds") {
  scripted_replica u{"u", [](replica_turn& turn) { turn.read_body(), turn.close(); }};
  for (const std::string format : {"json", "text"}) {
    ready_router r{fleet_of({u}), {"--log-format", format}};
    exchange_once(r.port(), chat("{}", "X-Request-Id: a\xff\xc3 b\xe2\x82\"z\r\n"));
    REQUIRE(eventually([&] { return r.logged("replica_failed"); }));
    CHECK(r.stop() == 0);
    r.process().drain();
    const auto log = r.log();
    CHECK(fleet::harmless(log) == log);
    CHECK(log.find("a?? b??\\\"z") != std::string::npos);
  }
}
