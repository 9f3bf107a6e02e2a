// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"
#include "system/support/black_hole.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

using namespace fleet::rig;

namespace {

const auto stream_request = chat(R"({"n":1,"stream":true})");
const auto plain_request = chat(R"({"n":2,"stream":false})");

// Streams five events for the first kind of request, echoes the second.
void stream_or_echo(replica_turn& turn) {
  const auto body = turn.read_body().body;
  if (body.find("true") == std::string::npos)
    return turn.send(response("200 OK", body)), void();
  turn.send(stream_head);
  for (int i = 0; i < 5; ++i)
    if (!turn.send(event(i)) || !turn.pause(100ms))
      return;
  turn.send(chunk(done_text) + std::string{last_chunk});
}

void check_both_answers(raw_client& client) {
  const auto first = client.read_response();
  CHECK(first.complete());
  CHECK(first.body.find("\"i\":4") != std::string::npos);
  CHECK(first.body.find("[DONE]") != std::string::npos);
  const auto second = client.read_response();
  CHECK(second.status() == 200);
  CHECK(second.body == R"({"n":2,"stream":false})");
}

// How long the slower ones of many answers took.
struct pace {
  milliseconds turn;    // p99 of 100 turns
  milliseconds health;  // p99 of 100 looks at /health, one beside each
};

milliseconds p99_of(std::vector<milliseconds> took) {
  std::sort(took.begin(), took.end());
  return took.at(took.size() * 99 / 100 - 1);
}

pace beside(std::uint16_t port) {
  std::vector<milliseconds> turns;
  std::vector<milliseconds> looks;
  const auto timed = [](std::vector<milliseconds>& into, const auto& act) {
    const auto start = clock::now();
    CHECK(act() == 200);
    into.push_back(std::chrono::duration_cast<milliseconds>(clock::now() - start));
  };
  raw_client client{port};
  for (int i = 0; i < 100; ++i) {
    timed(turns, [&] {
      client.send(chat());
      return client.read_response().status();
    });
    timed(looks, [&] { return get(port, "/health").status(); });
  }
  return {p99_of(std::move(turns)), p99_of(std::move(looks))};
}

// As fast as before, on a machine that has other work as well.
void stays_as(const pace& before, const pace& now) {
  CAPTURE(before.turn.count());
  CAPTURE(before.health.count());
  CHECK(now.turn < std::max<milliseconds>(50ms, 5 * before.turn));
  CHECK(now.health < std::max<milliseconds>(100ms, 5 * before.health));
}

/// No name server is asked for it: a label has no more than 63 characters.
std::string unresolvable() {
  return R"({"name":"lost","host":")" + std::string(64, 'x') + R"(.test","port":8001})";
}

}  // namespace

TEST_CASE("D04 two requests in one segment get two complete answers in order") {
  scripted_replica u{"u", stream_or_echo};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(stream_request + plain_request);
  check_both_answers(client);
}

TEST_CASE("D04 a request sent while the one before it streams is answered after it") {
  scripted_replica u{"u", stream_or_echo};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(stream_request);
  REQUIRE(client.wait_for("{\"i\":1}"));
  client.send(plain_request);
  check_both_answers(client);
}

TEST_CASE("D04 a request that arrives in two parts around the answer before it is not lost") {
  scripted_replica u{"u", stream_or_echo};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  const auto half = plain_request.size() / 2;
  client.send(stream_request + plain_request.substr(0, half));
  REQUIRE(client.wait_for("[DONE]"));
  client.send(plain_request.substr(half));
  check_both_answers(client);
}

TEST_CASE("D04 a client that resets with a pipelined request waiting cancels its stream") {
  for (const bool early : {true, false}) {
    CAPTURE(early);
    scripted_replica u{"u", [](replica_turn& turn) {
                         turn.read_body();
                         turn.send(std::string{stream_head} + event(0));
                         turn.wait_closed(1h);
                       }};
    ready_router r{fleet_of({u})};
    raw_client client{r.port()};
    client.send(early ? stream_request + plain_request : stream_request);
    REQUIRE(client.wait_for("{\"i\":0}"));
    if (!early)
      client.send(plain_request);
    client.rst();
    CHECK(eventually([&] { return u.open_connections() == 0; }, 5s));
    CHECK(becomes_idle(r.port()));
    u.on_request(answer_ok);
    CHECK(exchange_once(r.port(), chat()).status() == 200);
  }
}

TEST_CASE("a client connection is kept alive from one request to the next") {
  scripted_replica u{"u", stream_or_echo};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (int i = 0; i < 20; ++i) {
    client.send(plain_request);
    CHECK(client.read_response().complete());
  }
  client.send("GET /health HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(client.read_response("GET").status() == 200);
  client.send("GET /nowhere HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(client.read_response("GET").status() == 404);
  client.send(plain_request);
  CHECK(client.read_response().complete());
}

TEST_CASE("Connection: close from the client closes after the answer") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat("{}", "Connection: close\r\n"));
  const auto answer = client.read_response();
  CHECK(answer.complete());
  CHECK(same_word(answer.get("Connection"), "close"));
  CHECK(client.wait_end() == read_state::end);
}

namespace {

// Uploads `size` bytes and reads the answer at the same time.
message upload(std::uint16_t port, std::size_t size) {
  raw_client client{port};
  const auto bytes = chat(std::string(size, 'x'));
  std::thread writer{[&] { client.send(bytes, 30s); }};
  auto answer = client.read_response("POST", 30s);
  client.interrupt();
  writer.join();
  return answer;
}

constexpr std::string_view too_big =
    "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig";

}  // namespace

TEST_CASE("D06 a replica that answers before it read the whole upload and closes is relayed") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_some_body(64UL << 10);
                       turn.send(too_big);
                       turn.close();
                     }};
  ready_router r{fleet_of({u})};
  const auto answer = upload(r.port(), 50UL << 20);
  CHECK(answer.status() == 413);
  CHECK(answer.body == "big");
  CHECK(answer.complete());
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D06 a replica that answers early and reads on is relayed") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_some_body(64UL << 10);
                       turn.send(too_big);
                       turn.wait_closed(30s);
                     }};
  ready_router r{fleet_of({u})};
  const auto answer = upload(r.port(), 50UL << 20);
  CHECK(answer.status() == 413);
  CHECK(answer.body == "big");
  CHECK(becomes_idle(r.port()));
  CHECK(eventually([&] { return u.open_connections() == 0; }));
}

TEST_CASE("D06 a replica that answers early and then neither reads nor closes is relayed") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_some_body(64UL << 10);
                       turn.send(response("401 Unauthorized", "who"));
                       turn.pause(1h);
                     }};
  ready_router r{fleet_of({u})};
  const auto answer = upload(r.port(), 50UL << 20);
  CHECK(answer.status() == 401);
  CHECK(answer.body == "who");
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D54 a name that does not resolve and a full backlog delay neither start nor traffic") {
  scripted_replica v{"v"};
  const black_hole full;
  const auto lost = unresolvable();
  const auto fleet = R"({"replicas":[)" + v.entry() + "," + lost +
                     R"(,{"name":"full","host":"127.0.0.1","port":)" + std::to_string(full.port()) +
                     "}]}";
  ready_router plain{fleet_of({v})};
  const auto usual = beside(plain.port());
  const auto begun = clock::now();
  router_process r{fleet, {"--connect-timeout", "2", "--health-interval", "0.1"}};
  CHECK(clock::now() - begun < 2s);
  REQUIRE(becomes_ready(r.port(), "v"));
  stays_as(usual, beside(r.port()));
  CHECK(health(r.port()).at("lost").phase == "starting");
  CHECK(health(r.port()).at("full").phase == "starting");
}

TEST_CASE("D54 a turn for which there is only a name that does not resolve is refused at once") {
  router_process r{R"({"replicas":[)" + unresolvable() + "]}", {"--connect-timeout", "2"}};
  const auto start = clock::now();
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 503);
  CHECK(router_error(answer.body).code == "no_replica");
  CHECK(clock::now() - start < 4s);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D54 turns that wait to connect to a black hole delay no turn to another replica") {
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  // No probe comes between: the turns themselves have to find out.
  ready_router r{fleet_of({u, v}), {"--connect-timeout", "4", "--health-interval", "30"}};
  // Sessions that are at home at u, by whom the hole is met.
  std::vector<std::string> sessions;
  for (int i = 0; sessions.size() < 8; ++i) {
    const auto id = "X-Session-Id: s" + std::to_string(i) + "\r\n";
    if (exchange_once(r.port(), chat("{}", id)).get("X-Replica") == "u")
      sessions.push_back(id);
  }
  const auto usual = beside(r.port());
  u.go_away();
  const black_hole hole{u.port()};
  std::vector<std::unique_ptr<raw_client>> waiting;
  const auto start = clock::now();
  for (const auto& id : sessions) {
    waiting.push_back(std::make_unique<raw_client>(r.port()));
    waiting.back()->send(chat("{}", id));
  }
  REQUIRE(eventually([&] { return outstanding(r.port(), "u") == 8; }, 2s));
  // u has more to do from now on, so these are v's.
  const auto now = beside(r.port());
  CHECK(clock::now() - start < 4s);
  CHECK(outstanding(r.port(), "u") == 8);
  stays_as(usual, now);
  for (auto& client : waiting) {
    const auto answer = client->read_response();
    CHECK(answer.status() == 200);
    CHECK(answer.get("X-Replica") == "v");
  }
  CHECK(clock::now() - start > 3800ms);
  CHECK(clock::now() - start < 8s);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D54 a replica that turns into a black hole costs a turn its connect timeout and a 502") {
  scripted_replica u;
  // No probe comes between: the turn itself has to find out.
  ready_router r{fleet_of({u}), {"--connect-timeout", "1", "--health-interval", "30"}};
  u.go_away();
  const black_hole hole{u.port()};
  const auto start = clock::now();
  const auto answer = exchange_once(r.port(), chat());
  const auto took = clock::now() - start;
  CHECK(answer.status() == 502);
  CHECK(router_error(answer.body).code == "connect_failed");
  CHECK(took > 800ms);
  CHECK(took < 4s);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D72 the request timeout bounds the whole exchange") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       const auto body = turn.read_body().body;
                       if (body == "mute")
                         return turn.wait_closed(1h), void();
                       turn.send(stream_head);
                       turn.send(event(0));
                       if (body == "stall")
                         return turn.wait_closed(1h), void();
                       while (turn.send(event(1)) && turn.pause(300ms)) {
                       }
                     }};
  ready_router r{fleet_of({u}), {"--request-timeout", "2"}};
  const auto start = clock::now();
  const auto waited = [&](milliseconds least) {
    const auto took = clock::now() - start;
    CHECK(took >= least);
    CHECK(took < 5s);
  };
  raw_client mute{r.port()};
  raw_client stalled{r.port()};
  raw_client steady{r.port()};
  mute.send(chat("mute"));
  stalled.send(chat("stall"));
  steady.send(chat("steady"));

  const auto answer = mute.read_response();
  waited(1900ms);
  CHECK(answer.status() == 504);
  CHECK(router_error(answer.body).code == "timeout");
  for (auto* each : {&stalled, &steady}) {
    const auto cut = each->read_response();
    waited(1900ms);
    CHECK(cut.status() == 200);
    CHECK(cut.body.starts_with(event_text(0)));
    CHECK((cut.end == body_end::cut || cut.end == body_end::reset));
  }
  CHECK(eventually([&] { return u.open_connections() == 0; }));
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("D72 the request timeout cuts a stream whose client does not read") {
  std::atomic<std::size_t> sent = 0;
  scripted_replica u{"u", [&](replica_turn& turn) {
                       turn.read_body();
                       turn.send(stream_head);
                       const auto block = chunk(std::string(64UL << 10, 'x'));
                       while (turn.send(block, 1h))
                         sent += block.size();
                     }};
  ready_router r{fleet_of({u}), {"--request-timeout", "1"}};
  raw_client client{r.port()};
  client.send(chat());
  CHECK(eventually([&] { return sent > 0; }));
  CHECK(eventually([&] { return u.open_connections() == 0; }, 6s));
  CHECK(becomes_idle(r.port()));
}
