// SPDX-License-Identifier: MIT
// GET /snapshot, GET /sessions/{id} and the X-Affinity field.
#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;

namespace {

using namespace std::chrono_literals;

std::string answer_to(lane_fixture& lane, std::string_view line) {
  lane.received.clear();
  lane.send(std::string(line) + " HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(lane.gets("\r\n\r\n"));
  return lane.received;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture, "GET /snapshot is the whole fleet in one object") {
  settings.version = "1.2.3";
  port->pool.replicas.push_back({.name = "n-d0", .owned = true, .place = {.slot = "n-d0"}});
  port->pool.slots.push_back({.slot = {.name = "n-d0"}, .now = slot_stage::serving});
  port->pool.totals = {.sessions = 4, .routed = 3, .affinity_hits = 2, .rejected = 1};
  ring.append(wall_time(1'800'000'000s), "replica_phase", {{"replica", "n-d0"}});
  const auto answer = answer_to(*this, "GET /snapshot");
  CHECK(has(answer, "HTTP/1.1 200"));
  CHECK(has(answer, "Content-Type: application/json\r\n"));
  CHECK(has(answer, R"({"version":"1.2.3","boot":"b00t","last_event":"b00t-1","replicas":[{)"));
  CHECK(has(answer, R"("replicas":[{"name":"n-d0")"));
  CHECK(has(answer, R"("slots":[{"name":"n-d0")"));
  CHECK(has(answer, R"("capacity":{"owned":)"));
  CHECK(has(answer,
            R"("totals":{"routed":3,"affinity_hits":2,"rejected":1,"sessions":4},"events":[)"));
  CHECK(has(answer, R"([{"at":"2027-01-15T08:00:00.000Z","event":"replica_phase",)"
                    R"("replica":"n-d0","id":"b00t-1"}]})"));
}

TEST_CASE_FIXTURE(lane_fixture,
                  "a snapshot of a router where nothing happened has event 0 as last") {
  CHECK(has(answer_to(*this, "GET /snapshot"), R"("last_event":"b00t-0")"));
  received.clear();
  send("GET /events?after=b00t-0 HTTP/1.1\r\nHost: r\r\n\r\n");
  ring.append({}, "replacing", {});
  CHECK(gets("id: b00t-1\n"));
  CHECK_FALSE(has(received, "event: reset"));
}

TEST_CASE_FIXTURE(lane_fixture,
                  "GET /sessions/{id} tells where a conversation is pinned, and why") {
  port->pinned = {.replica = "n-d1",
                  .pin = {.where = {2},
                          .age = 90s,
                          .turns = 7,
                          .in_flight = 1,
                          .last = affinity::hit,
                          .moved = affinity::moved_load,
                          .moved_age = 12s},
                  .from = "n-d0"};
  const auto answer = answer_to(*this, "GET /sessions/a%3Ab");
  CHECK(port->admin_calls == std::vector<std::string>{"session a:b"});
  CHECK(answer.ends_with(
      R"({"session":"a:b","replica":"n-d1","age_s":90,"turns":7,"in_flight":1,"last":"hit",)"
      R"("last_move":{"from":"n-d0","why":"moved_load","age_s":12}})"));
  port->pinned.pin.moved = affinity::none;
  port->pinned.pin.last = affinity::fresh;
  CHECK(answer_to(*this, "GET /sessions/s").ends_with(R"("last":"fresh","last_move":null})"));
}

TEST_CASE_FIXTURE(lane_fixture, "a session without a pin is a 404") {
  const auto answer = answer_to(*this, "GET /sessions/x");
  CHECK(has(answer, "HTTP/1.1 404"));
  CHECK(has(answer, R"("code":"unknown_session")"));
  CHECK(has(answer_to(*this, "GET /sessions/"), "HTTP/1.1 404"));
  CHECK(has(answer_to(*this, "GET /sessions"), "HTTP/1.1 404"));
}

TEST_CASE_FIXTURE(lane_fixture, "all of these need the admin token and take GET only") {
  for (const auto* path : {"/snapshot", "/sessions/s", "/events"}) {
    CHECK(has(answer_to(*this, std::string("DELETE ") + path), "Allow: GET, HEAD\r\n"));
    settings.admin_token = "T";
    CHECK(has(answer_to(*this, std::string("GET ") + path), "HTTP/1.1 401"));
    settings.admin_token.clear();
  }
}

TEST_CASE_FIXTURE(lane_fixture, "X-Affinity tells on each routed answer why it went there") {
  struct row {
    affinity how;
    const char* target;
    const char* session;
    const char* field;
  };
  const std::vector<row> table{{affinity::hit, "/v1/x", "s", "hit; reason=pinned"},
                               {affinity::fresh, "/v1/x", "s", "miss; reason=no_pin"},
                               {affinity::fresh, "/v1/x", "", "miss; reason=new_session"},
                               {affinity::expired, "/v1/x", "s", "miss; reason=expired"},
                               {affinity::moved_load, "/v1/x", "s", "moved; reason=load"},
                               {affinity::moved_gone, "/v1/x", "s", "moved; reason=gone"},
                               {affinity::none, "/v1/x", "s", "none; reason=affinity_off"}};
  for (const auto& each : table) {
    upstream_that("HTTP/1.1 200 OK\r\nX-Affinity: forged\r\nContent-Length: 2\r\n\r\nok",
                  scripted_upstream::end::keep);
    port->answers.back().where.how = each.how;
    received.clear();
    chat(*each.session != 0 ? "X-Session-Id: " + std::string(each.session) + "\r\n" : "");
    CHECK(gets("\r\n\r\nok"));
    CHECK(has(received, "X-Affinity: " + std::string(each.field) + "\r\n"));
    CHECK_FALSE(has(received, "forged"));
  }
  upstream_that("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", scripted_upstream::end::keep);
  port->answers.back().where.how = affinity::none;
  CHECK(has(answer_to(*this, "GET /v1/models"), "X-Affinity: none; reason=no_session\r\n"));
}

TEST_CASE_FIXTURE(lane_fixture, "a turn's end tells the time to the first byte of its answer") {
  upstream_that("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", scripted_upstream::end::keep);
  chat();
  CHECK(gets("ok"));
  CHECK(run_until([this] { return port->ended.size() == 1; }));
  REQUIRE(port->ended[0].first_byte);
  CHECK(*port->ended[0].first_byte >= 0ns);
  CHECK(*port->ended[0].first_byte < 10s);
  upstream_that("", scripted_upstream::end::fin);
  chat();
  CHECK(run_until([this] { return port->ended.size() == 2; }));
  CHECK_FALSE(port->ended[1].first_byte);
}
