// SPDX-License-Identifier: MIT
#include "system/support/fleetctl_run.hpp"

#include "fleet/core/harmless.hpp"

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

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
  // A turn's line is written after its answer: it has to be there before the signal.
  CHECK(eventually([&] { return lines_in(file + ".1") == 2; }));
  r.signal(SIGUSR1);
  REQUIRE(eventually([&] { return std::filesystem::exists(file); }));
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(r.stop() == 0);
  CHECK(lines_in(file + ".1") == 2);
  CHECK(lines_in(file) == 1);
  const auto line = json::parse(text_of_file(file)).as_object();
  CHECK(line.at("replica").as_string() == "u");
  CHECK(line.at("end").as_string() == "done");
}

TEST_CASE("an access log that is turned over amid traffic has every turn once") {
  scripted_replica u{"u", answer_ok};
  const temp_dir dir;
  const auto file = dir.path() + "/access.log";
  ready_router r{fleet_of({u}), {"--access-log", file}};
  std::atomic<bool> over = false;
  std::atomic<std::size_t> answered = 0;
  std::thread traffic{[&] {
    raw_client client{r.port()};
    while (!over) {
      client.send(chat());
      if (client.read_response().status() != 200)
        return;
      ++answered;
    }
  }};
  std::vector<std::string> files;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto before = answered.load();
    CHECK(eventually([&] { return answered > before + 10; }));
    files.push_back(file + "." + std::to_string(i));
    std::filesystem::rename(file, files.back());
    r.signal(SIGUSR1);
    CHECK(eventually([&] { return std::filesystem::exists(file); }));
    if (!std::filesystem::exists(file))
      break;
  }
  over = true;
  traffic.join();
  CHECK(r.stop() == 0);
  std::size_t lines = lines_in(file);
  for (const auto& each : files)
    lines += lines_in(each);
  CHECK(answered > 50);
  CHECK(lines == answered);
}

TEST_CASE("a turn that failed over is told in the same words by the log and by X-Affinity") {
  scripted_replica u{"u", answer_ok};
  scripted_replica v{"v", answer_ok};
  const temp_dir dir;
  const auto file = dir.path() + "/access.log";
  ready_router r{fleet_of({u, v}), {"--access-log", file, "--health-interval", "60"}};
  const auto turn = chat("{}", "X-Session-Id: s\r\n");
  const auto first = exchange_once(r.port(), turn);
  (first.get("X-Replica") == "u" ? u : v).go_away();
  const auto second = exchange_once(r.port(), turn);
  CHECK(second.get("X-Affinity") == "moved; reason=gone");
  REQUIRE(eventually([&] { return lines_in(file) == 2; }));
  CHECK(text_of_file(file).find(R"("affinity":"moved","why":"gone")") != std::string::npos);
  const auto listing = exchange_once(r.port(), request("GET", "/v1/files", ""), "GET");
  CHECK(listing.get("X-Affinity") == "none; reason=no_session");
}

TEST_CASE("a client that leaves in its body is logged with what it said of itself, cut to size") {
  scripted_replica u{"u", answer_ok};
  const temp_dir dir;
  const auto file = dir.path() + "/access.log";
  ready_router r{fleet_of({u}), {"--access-log", file}};
  {
    raw_client hasty{r.port()};
    hasty.send("POST /v1/x HTTP/1.1\r\nHost: r\r\nX-Session-Id: early\r\nX-Request-Id: " +
               std::string(9000, 'i') + "\r\nContent-Length: 10\r\n\r\n{}");
    std::this_thread::sleep_for(50ms);
  }
  REQUIRE(eventually([&] { return lines_in(file) == 1; }));
  const auto line = json::parse(text_of_file(file)).as_object();
  CHECK(line.at("session").as_string() == "early");
  CHECK(line.at("request_id").as_string() == std::string(256, 'i'));
  CHECK(line.at("end").as_string() == "client_gone");
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

TEST_CASE("as much of an X-Request-Id is logged as identifies a turn") {
  scripted_replica u{"u", [](replica_turn& turn) { turn.read_body(), turn.close(); }};
  ready_router r{fleet_of({u})};
  exchange_once(r.port(), chat("{}", "X-Request-Id: " + std::string(60'000, 'i') + "\r\n"));
  REQUIRE(eventually([&] { return r.logged("replica_failed"); }));
  CHECK(r.log().find(std::string(256, 'i')) != std::string::npos);
  CHECK(r.log().find(std::string(257, 'i')) == std::string::npos);
}
