// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace fleet::rig;

namespace {

bool fresh(const std::string& id) {
  return id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string id_of(const message& answer) {
  return answer.get("X-Session-Id");
}

// The id a turn gets for this body and these fields.
std::string resolved(std::uint16_t port, std::string_view body, std::string_view fields = "") {
  const auto answer = exchange_once(port, chat(body, fields));
  CHECK(answer.status() == 200);
  CHECK(answer.count("X-Session-Id") == 1);
  return id_of(answer);
}

}  // namespace

TEST_CASE("a request with no session id gets a fresh id of 32 lower-case hex digits") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  std::set<std::string> ids;
  for (int i = 0; i < 50; ++i)
    ids.insert(resolved(r.port(), "{}"));
  CHECK(ids.size() == 50);
  for (const auto& id : ids)
    CHECK(fresh(id));
}

TEST_CASE("the id is taken from the header or the body and the non-empty header wins") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const std::string in_body = R"({"model":"m","session_id":"body-1"})";
  CHECK(resolved(r.port(), "{}", session("head-1")) == "head-1");
  CHECK(resolved(r.port(), in_body) == "body-1");
  CHECK(resolved(r.port(), in_body, session("head-1")) == "head-1");
  CHECK(resolved(r.port(), in_body, "x-session-ID:head-2\r\n") == "head-2");
  CHECK(resolved(r.port(), in_body, "X-Session-Id:\r\n") == "body-1");
  CHECK(resolved(r.port(), in_body, "X-Session-Id: \t \r\n") == "body-1");
}

TEST_CASE("ids of 1 to 128 accepted characters are kept and all else is replaced and not refused") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto& id : {std::string{"a"}, std::string{"AZaz09._:-"}, std::string(128, 'k')}) {
    CHECK(resolved(r.port(), "{}", session(id)) == id);
    CHECK(resolved(r.port(), R"({"session_id":")" + id + "\"}") == id);
  }
  for (const auto& id : {std::string(129, 'k'), std::string{"a b"}, std::string{"a/b"},
                         std::string{"\xc3\xa4"}, std::string{"a,b"}, std::string{"<x>"}}) {
    CAPTURE(id);
    CHECK(fresh(resolved(r.port(), "{}", session(id))));
    CHECK(fresh(resolved(r.port(), R"({"session_id":")" + id + "\"}")));
  }
}

TEST_CASE("D68 an id of the wrong type or blank counts as absent") {
  scripted_replica u;
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v})};
  for (const std::string value :
       {"null", "5", "true", "[]", "{}", R"("")", R"("  ")", R"(["a"])", R"({"session_id":"x"})"}) {
    CAPTURE(value);
    const auto body = R"({"session_id":)" + value + "}";
    const auto first = resolved(r.port(), body);
    const auto second = resolved(r.port(), body);
    CHECK(fresh(first));
    CHECK(fresh(second));
    CHECK(first != second);
  }
}

TEST_CASE("D68 two X-Session-Id lines are never a crash and always treated alike") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto both = session("one") + session("two");
  const auto first = exchange_once(r.port(), chat("{}", both));
  for (int i = 0; i < 3; ++i) {
    const auto again = exchange_once(r.port(), chat("{}", both));
    CHECK(again.status() == first.status());
    CHECK(again.count("X-Session-Id") == 1);
    CHECK((id_of(again) == id_of(first) || (fresh(id_of(again)) && fresh(id_of(first)))));
  }
  CHECK((first.status() == 200 || first.status() == 400));
}

TEST_CASE("the body's id is found whatever stands around it and its escapes are decoded") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  CHECK(resolved(r.port(), R"({"session\u005fid":"a\u0062c"})") == "abc");
  CHECK(resolved(r.port(), " \r\n\t{ \"a\" : [1,{\"b\":2}] ,\n\"session_id\"\t:\n\"x1\" } ") ==
        "x1");
  CHECK(resolved(r.port(), R"({"a":"\"session_id\":\"no\"","session_id":"yes"})") == "yes");
  CHECK(resolved(r.port(), R"({"session_id":"x2","n":-1.5e+3,"t":true,"s":"\ud83d\ude00"})") ==
        "x2");
  CHECK(resolved(r.port(), std::string(1 << 20, ' ') + R"({"session_id":"x3"})") == "x3");
  const std::string big = R"({"text":")" + std::string(3 << 20, 't') + R"(","session_id":"x4"})";
  CHECK(resolved(r.port(), big) == "x4");
  raw_client client{r.port()};
  client.send(chunked_chat(R"({"a":1,"session_id":"x5"})", 2));
  CHECK(id_of(client.read_response()) == "x5");
}

TEST_CASE("D40 only the top level counts and the last of repeated keys wins") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  CHECK(fresh(resolved(r.port(), R"({"metadata":{"session_id":"inner"}})")));
  CHECK(fresh(resolved(r.port(), R"([{"session_id":"inner"}])")));
  CHECK(fresh(resolved(r.port(), R"("session_id")")));
  CHECK(resolved(r.port(), R"({"session_id":"a","x":{"session_id":"b"},"session_id":"c"})") == "c");
  CHECK(resolved(r.port(), R"({"x":[{"session_id":"b"}],"session_id":"top"})") == "top");
}

TEST_CASE("D40 a body of any depth is forwarded unchanged and its id is found") {
  scripted_replica u;
  scripted_replica v{"v"};
  ready_router r{fleet_of({u, v})};
  const auto around = [](std::string_view before, std::string_view middle, std::string_view after) {
    return std::string{before}.append(middle).append(after) + "}";
  };
  for (const std::size_t depth : {40UL, 200UL, 100'000UL}) {
    CAPTURE(depth);
    std::string schema;
    for (std::size_t i = 0; i < depth; ++i)
      schema += i % 2 == 0 ? R"({"p":)" : "[";
    schema += '1';
    for (std::size_t i = depth; i-- > 0;)
      schema += i % 2 == 0 ? '}' : ']';
    const auto id = "deep-" + std::to_string(depth);
    const auto pair = R"("session_id":")" + id + '"';
    const auto tools = R"("tools":)" + schema;
    const auto first = around("{" + pair, ",", tools);
    const auto last = around("{" + tools, ",", pair);
    const auto home = exchange_once(r.port(), chat(first)).get("X-Replica");
    for (const auto& body : {last, first, last}) {
      const auto answer = exchange_once(r.port(), chat(body));
      CHECK(id_of(answer) == id);
      CHECK(answer.get("X-Replica") == home);
      CHECK((home == "u" ? u : v).last_request().body == body);
    }
  }
}

TEST_CASE("D34 an id far over any limit is replaced and harms nobody") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client other{r.port()};
  u.on_request([](replica_turn& turn) {
    if (turn.read_body().body != "slow")
      return turn.send(response("200 OK", "{}")), void();
    turn.send(std::string{stream_head} + event(0));
    while (turn.send(chunk(".")) && turn.pause(20ms)) {
    }
  });
  other.send(chat("slow"));
  REQUIRE(other.wait_for("{\"i\":0}"));
  for (const std::size_t size : {70'000UL, 5'000'000UL})
    CHECK(fresh(resolved(r.port(), R"({"session_id":")" + std::string(size, 'i') + "\"}")));
  for (const std::size_t size : {70'000UL, 5'000'000UL}) {
    CAPTURE(size);
    raw_client client{r.port()};
    client.send(chat("{}", session(std::string(size, 'i'))));
    CHECK(client.read_response().status() == 431);
  }
  CHECK(fresh(resolved(r.port(), "{}", session(std::string(60'000, 'i')))));
  // The stream beside all this goes on.
  other.unread().clear();
  CHECK(other.wait_for("\r\n.\r\n"));
}

TEST_CASE("D34 a flood of long ids does not grow memory") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--max-sessions", "100"}};
  raw_client client{r.port()};
  std::size_t settled = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (i == 1000)
      settled = r.process().resident_kib();
    client.send(chat(R"({"session_id":")" + std::to_string(i) + std::string(1000, 'i') + "\"}",
                     session(std::to_string(i) + std::string(900, 'h'))));
    REQUIRE(client.read_response().status() == 200);
  }
  CHECK(r.process().resident_kib() < settled + growth_kib(2UL << 10));
  CHECK(health(r.port()).sessions <= 100);
}

TEST_CASE("every response to a /v1/ request that is no plain GET carries X-Session-Id") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--max-body", "1000"}};
  const auto carries = [&](std::string_view bytes, int status) {
    CAPTURE(status);
    const auto answer = exchange_once(r.port(), bytes);
    CHECK(answer.status() == status);
    CHECK(answer.all("X-Session-Id") == std::vector<std::string>{"s"});
  };
  const auto turn = chat("{}", session("s"));
  carries(turn, 200);
  u.on_request(stream_of(1, 0ms));
  carries(turn, 200);
  for (const auto* status : {"400 Bad Request", "401 Unauthorized", "500 Internal"}) {
    u.on_request(answer_with(response(status, "{}")));
    carries(turn, std::stoi(status));
  }
  u.on_request([](replica_turn& at) { at.close(); });
  carries(turn, 502);
  carries(chat(std::string(1001, 'x'), session("s")), 413);
  u.healthy(false);
  REQUIRE(becomes_ready(r.port(), "u", false));
  carries(turn, 503);
  CHECK(fresh(id_of(exchange_once(r.port(), chat()))));
}

TEST_CASE("GET under /v1/ neither mints nor pins") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const auto* target : {"/v1/models", "/v1/files"})
    CHECK(!get(r.port(), target).has("X-Session-Id"));
  CHECK(health(r.port()).sessions == 0);
  CHECK(health(r.port()).affinity_hits == 0);
}

TEST_CASE("GET /v1/models goes to any routable replica and is not counted as routed") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  CHECK(get(r.port(), "/v1/models").status() == 200);
  const auto now = health(r.port());
  CHECK(now.routed == 0);
  CHECK(now.at("u").routed == 0);
  CHECK(becomes_idle(r.port()));
  CHECK(u.last_request().target() == "/v1/models");
}

TEST_CASE("HEAD and OPTIONS return an id and do not pin") {
  scripted_replica u{"u", answer_with("HTTP/1.1 204 No Content\r\n\r\n")};
  ready_router r{fleet_of({u})};
  for (const std::string method : {"HEAD", "OPTIONS"})
    CHECK(fresh(
        id_of(exchange_once(r.port(), method + " /v1/x HTTP/1.1\r\nHost: r\r\n\r\n", method))));
  CHECK(health(r.port()).sessions == 0);
}
