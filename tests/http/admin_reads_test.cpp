// SPDX-License-Identifier: MIT
// The admin API's reading routes: one replica, slots and logs; version and OpenAPI document.
#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;

namespace {

std::string answer_to(lane_fixture& lane, std::string_view line) {
  lane.received.clear();
  lane.send(std::string(line) + " HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(lane.gets("\r\n\r\n"));
  return lane.received;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

pool_view loading_pool() {
  pool_view pool;
  pool.replicas.push_back({.name = "n-d0", .owned = true, .place = {.slot = "n-d0"}});
  pool.slots.push_back({.slot = {.name = "n-d0", .devices = {0}, .port = 8001, .address = "h"},
                        .host = "n",
                        .now = slot_stage::loading});
  pool.slots.push_back({.slot = {.name = "n-d1"}, .detail = "exit status 3"});
  pool.slots.push_back({.slot = {.name = "n-d2"}, .now = slot_stage::abandoned});
  return pool;
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture, "GET /replicas/{name} tells how far a launch is") {
  port->pool = loading_pool();
  port->logged = {.outcome = log_outcome::read, .text = "one\nshard 3 of 8\n\n"};
  const auto answer = answer_to(*this, "GET /replicas/n%2Dd0");
  CHECK(has(answer, "HTTP/1.1 200"));
  CHECK(has(answer, R"("phase":"starting")"));
  CHECK(has(answer, R"("launch":{"stage":"loading","seconds":)"));
  CHECK(has(answer, R"("log_line":"shard 3 of 8"})"));
  CHECK(port->admin_calls == std::vector<std::string>{"fleet", "log n-d0 0 2048"});
  port->pool.slots[0].now = slot_stage::serving;
  CHECK_FALSE(has(answer_to(*this, "GET /replicas/n-d0"), R"("launch")"));
  CHECK(has(answer_to(*this, "GET /replicas/x"), R"("code":"unknown_replica")"));
}

TEST_CASE_FIXTURE(lane_fixture, "GET /slots lists every declared slot with its stage") {
  port->pool = loading_pool();
  const auto answer = answer_to(*this, "GET /slots");
  CHECK(has(answer,
            R"({"slots":[{"name":"n-d0","host":"n","devices":[0],"address":"h","port":8001)"));
  CHECK(has(answer, R"("stage":"loading")"));
  CHECK(has(answer, R"("replica":{"name":"n-d0")"));
  CHECK(has(answer, R"("stage":"free","reason":"","detail":"exit status 3"})"));
  CHECK(has(answer, R"("stage":"abandoned")"));
  CHECK(has(answer, R"("capacity":{)"));
}

TEST_CASE_FIXTURE(lane_fixture, "GET /slots/{slot}/log is the last lines of the log, as text") {
  port->logged = {.outcome = log_outcome::read, .text = "one\ntwo\nthree", .end = 1013};
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "one\ntwo\nthree"},        {"?tail=1", "three"},     {"?tail=2", "two\nthree"},
      {"?tail=9", "one\ntwo\nthree"}, {"?x=1&tail=1", "three"}, {"?after=7", "one\ntwo\nthree"}};
  for (const auto& [query, text] : table) {
    const auto answer = answer_to(*this, "GET /slots/n-d0/log" + query);
    CHECK(has(answer, "HTTP/1.1 200"));
    CHECK(has(answer, "Content-Type: text/plain; charset=utf-8\r\n"));
    CHECK(has(answer, "X-Log-End: 1013\r\n"));
    CHECK(answer.ends_with("\r\n\r\n" + text));
  }
  CHECK(port->admin_calls.front() == "log n-d0 0 1048576");
  CHECK(port->admin_calls.back() == "log n-d0 7 1048576");
  port->logged.text = "one\ntwo\n";
  CHECK(answer_to(*this, "GET /slots/n-d0/log?tail=1").ends_with("\r\n\r\ntwo\n"));
}

TEST_CASE_FIXTURE(lane_fixture, "a log that cannot be had says why") {
  for (const auto* query : {"tail=0", "tail=x", "tail=1000001", "after=-1", "tail="})
    CHECK(has(answer_to(*this, std::string("GET /slots/n-d0/log?") + query), "HTTP/1.1 400"));
  CHECK(port->admin_calls.empty());
  port->logged = {.outcome = log_outcome::unknown};
  CHECK(has(answer_to(*this, "GET /slots/x/log"), R"("code":"unknown_slot")"));
  port->logged = {.outcome = log_outcome::failed, .message = "ssh: no route"};
  const auto failed = answer_to(*this, "GET /slots/x/log");
  CHECK(has(failed, "HTTP/1.1 502"));
  CHECK(has(failed, "ssh: no route"));
  port->logged = {};
  CHECK(has(answer_to(*this, "GET /slots/x/log"), "HTTP/1.1 503"));
}

TEST_CASE_FIXTURE(lane_fixture, "GET /version tells name and version") {
  settings.version = "1.2.3";
  CHECK(has(answer_to(*this, "GET /version"),
            R"({"name":"pypto-serving-router","version":"1.2.3"})"));
}

TEST_CASE_FIXTURE(lane_fixture, "of these only /openapi.json needs no token") {
  settings.admin_token = "T";
  CHECK(has(answer_to(*this, "GET /openapi.json"), R"("openapi": "3.1.0")"));
  for (const auto* path : {"/replicas/a", "/slots", "/slots/a/log", "/version"})
    CHECK(has(answer_to(*this, std::string("GET ") + path), "HTTP/1.1 401"));
}

TEST_CASE_FIXTURE(lane_fixture, "another method on a reading route is a 405 with Allow") {
  for (const auto* line :
       {"POST /slots", "DELETE /slots/a/log", "POST /version", "PUT /openapi.json"}) {
    const auto answer = answer_to(*this, line);
    CHECK(has(answer, "HTTP/1.1 405"));
    CHECK(has(answer, "Allow: GET, HEAD\r\n"));
  }
}
