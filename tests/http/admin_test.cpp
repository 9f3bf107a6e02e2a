// SPDX-License-Identifier: MIT
// The admin API's paths, methods, token and answers. Contract section 6.
#include "admin.hpp"

#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;

namespace {

/// One request of its own connection; the whole answer.
std::string answer_to(lane_fixture& lane, std::string_view line, std::string_view fields = {},
                      std::string_view body = {}) {
  lane.received.clear();
  lane.send(std::string(line) +
            " HTTP/1.1\r\nHost: r\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
            std::string(fields) + "\r\n" + std::string(body));
  CHECK(lane.gets("\r\n\r\n{"));
  return lane.received;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture, "GET /replicas lists the fleet and what is left of it") {
  const auto answer = answer_to(*this, "GET /replicas");
  CHECK(has(answer, "HTTP/1.1 200"));
  CHECK(has(answer, R"({"replicas":[],"capacity":{"owned":0,"ceiling":0,"free_slots":[])"));
  CHECK(port->admin_calls == std::vector<std::string>{"fleet"});
}

TEST_CASE_FIXTURE(lane_fixture, "D46 the scheme is taken in any case, the token exactly") {
  settings.admin_token = "T";
  for (const auto* good : {"Bearer T", "bearer T", "BEARER   T"}) {
    CHECK(has(answer_to(*this, "GET /replicas", std::string("authorization: ") + good + "\r\n"),
              "HTTP/1.1 200"));
  }
  for (const auto* bad :
       {"Bearer t", "Bearer T2", "Bearer", "Bearer ", "BearerT", "Basic T", "T"}) {
    for (const auto* line : {"GET /replicas", "POST /replicas", "DELETE /replicas/a",
                             "POST /slots/a/release", "GET /replicas/", "GET /slots"}) {
      CAPTURE(bad);
      const auto answer = answer_to(*this, line, std::string("Authorization: ") + bad + "\r\n");
      CHECK(has(answer, "HTTP/1.1 401"));
      CHECK(has(answer, "WWW-Authenticate: Bearer\r\n"));
      CHECK(has(answer, R"("code":"unauthorized")"));
    }
  }
  CHECK(has(
      answer_to(*this, "GET /replicas", "Authorization: Bearer T\r\nAuthorization: Bearer T\r\n"),
      "HTTP/1.1 401"));
  CHECK(has(answer_to(*this, "GET /replicas"), "HTTP/1.1 401"));
  CHECK(has(answer_to(*this, "GET /health"), "HTTP/1.1 503"));
  CHECK(port->admin_calls.size() == 3);
}

TEST_CASE_FIXTURE(lane_fixture, "a refused admin request is logged, a flood of them is not") {
  settings.admin_token = "T";
  answer_to(*this, "GET /replicas", "Authorization: Bearer T\r\n");
  CHECK(log.events.empty());
  for (int i = 0; i < 3; ++i) {
    answer_to(*this, "GET /replicas");
  }
  CHECK(log.events == std::vector<std::string>{"admin_unauthorized"});
}

TEST_CASE_FIXTURE(lane_fixture, "POST /replicas answers 202 with the replica and its Location") {
  port->grown = {.outcome = grow_outcome::accepted,
                 .replica = {.name = "node02-d1", .owned = true}};
  const auto answer = answer_to(*this, "POST /replicas");
  CHECK(has(answer, "HTTP/1.1 202 Accepted"));
  CHECK(has(answer, "Location: /replicas/node02-d1\r\n"));
  CHECK(has(answer, R"("name":"node02-d1")"));
  CHECK(has(answer, R"("phase":"starting")"));
}

TEST_CASE_FIXTURE(lane_fixture, "a body may ask for a slot; what is no such body is a 400") {
  answer_to(*this, "POST /replicas", "", R"({"slot":"node02-d1"})");
  answer_to(*this, "POST /replicas", "", "{}");
  answer_to(*this, "POST /replicas", "", " \r\n");
  CHECK(port->admin_calls == std::vector<std::string>{"grow node02-d1", "grow ", "grow "});
  for (const auto* body : {"[]", "slot", R"({"slot":5})", R"({"slot":""})", R"({"host":"a"})"}) {
    CHECK(has(answer_to(*this, "POST /replicas", "", body), "HTTP/1.1 400"));
  }
  CHECK(port->admin_calls.size() == 3);
}

TEST_CASE_FIXTURE(lane_fixture, "a grow that is refused says why, with the capacity") {
  const std::vector<std::pair<grow_outcome, std::string>> table = {
      {grow_outcome::pool_full, "409"},     {grow_outcome::at_ceiling, "409"},
      {grow_outcome::slot_not_free, "409"}, {grow_outcome::unknown_slot, "404"},
      {grow_outcome::launch_failed, "502"},
  };
  for (const auto& [outcome, status] : table) {
    port->grown = {.outcome = outcome, .message = "the last words"};
    const auto answer = answer_to(*this, "POST /replicas");
    CHECK(has(answer, "HTTP/1.1 " + status));
    CHECK(has(answer, R"("code":")" + to_string(outcome) + "\""));
    CHECK(has(answer, "the last words"));
    CHECK(has(answer, R"("capacity":{)"));
  }
}

TEST_CASE_FIXTURE(lane_fixture, "a launch that came to nothing is listed with reason and since") {
  port->grown.outcome = grow_outcome::pool_full;
  port->grown.capacity.failed_launches = {{"a", "exit status 3", {}}};
  const auto answer = answer_to(*this, "POST /replicas");
  CHECK(has(answer, R"("failed_launches":[{"slot":"a","reason":"exit status 3","since":"20)"));
}

TEST_CASE_FIXTURE(lane_fixture, "what is replaced or abandoned is listed with its last loss") {
  port->grown.outcome = grow_outcome::pool_full;
  port->grown.capacity.abandoned = {{"a", 3, "exit status 3", {}}};
  port->grown.capacity.replacing = {{"b", 2, "", std::chrono::milliseconds(2500)}};
  const auto answer = answer_to(*this, "POST /replicas");
  CHECK(has(answer, R"("abandoned":[{"slot":"a","losses":3,"since":"20)"));
  CHECK(has(answer, R"(Z","detail":"exit status 3"}])"));
  CHECK(has(answer, R"("replacing":[{"slot":"b","attempt":2,"retry_in":2.5E0}])"));
}

TEST_CASE_FIXTURE(lane_fixture, "D62 names with a colon match plain and percent-encoded") {
  port->shrunk = {.outcome = shrink_outcome::not_owned};
  CHECK(has(answer_to(*this, "DELETE /replicas/127.0.0.1:8001"), "HTTP/1.1 409"));
  CHECK(has(answer_to(*this, "DELETE /replicas/127.0.0.1%3A8001?x=1"), "HTTP/1.1 409"));
  CHECK(port->admin_calls == std::vector<std::string>(2, "shrink 127.0.0.1:8001"));
  CHECK(has(answer_to(*this, "DELETE /replicas/"), "HTTP/1.1 404"));
}

TEST_CASE_FIXTURE(lane_fixture, "DELETE answers stopped, unknown or unconfirmed") {
  port->shrunk = {.outcome = shrink_outcome::stopped, .slot = "a"};
  CHECK(has(answer_to(*this, "DELETE /replicas/a"), R"({"name":"a","stopped":true,"capacity":{)"));
  port->shrunk = {.outcome = shrink_outcome::unknown};
  CHECK(has(answer_to(*this, "DELETE /replicas/a"), "HTTP/1.1 404"));
  port->shrunk = {.outcome = shrink_outcome::unconfirmed,
                  .slot = "a",
                  .reason = "stop-unconfirmed",
                  .message = "ssh ended with 255"};
  const auto answer = answer_to(*this, "DELETE /replicas/a");
  CHECK(has(answer, "HTTP/1.1 500"));
  CHECK(has(answer, R"("code":"stop_unconfirmed","slot":"a","reason":"stop-unconfirmed")"));
}

TEST_CASE_FIXTURE(lane_fixture, "POST /slots/{slot}/release frees an unconfirmed slot only") {
  port->released = {.outcome = release_outcome::released};
  CHECK(has(answer_to(*this, "POST /slots/node02-d1/release"), "HTTP/1.1 200"));
  port->released = {.outcome = release_outcome::not_unconfirmed};
  CHECK(has(answer_to(*this, "POST /slots/node02-d1/release"), "HTTP/1.1 409"));
  port->released = {.outcome = release_outcome::unknown};
  CHECK(has(answer_to(*this, "POST /slots/x/release"), "HTTP/1.1 404"));
  CHECK(port->admin_calls ==
        std::vector<std::string>{"release node02-d1", "release node02-d1", "release x"});
}

TEST_CASE_FIXTURE(lane_fixture, "another method on a known admin path is a 405 with Allow") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"PUT /replicas", "GET, HEAD, POST"},
      {"POST /replicas/a", "GET, HEAD, DELETE"},
      {"GET /slots/a/release", "POST"},
  };
  for (const auto& [line, allow] : table) {
    const auto answer = answer_to(*this, line);
    CHECK(has(answer, "HTTP/1.1 405"));
    CHECK(has(answer, "Allow: " + allow + "\r\n"));
  }
  CHECK(has(answer_to(*this, "GET /slots/a/other"), "HTTP/1.1 404"));
}
