// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace fleet::rig;

namespace {

// Streams an event, waits for `go`, and ends the stream.
scripted_replica::script stream_until(const std::atomic<bool>& go) {
  return [&go](replica_turn& turn) {
    if (turn.read_body().body != "stream")
      return turn.send(response("200 OK", "{}")), void();
    turn.send(std::string{stream_head} + event(0));
    while (!go && !turn.wait_closed(10ms)) {
    }
    turn.send(event(1) + std::string{last_chunk});
  };
}

// The router has taken the signal in: nothing can connect any more, or it is told so.
bool refuses(std::uint16_t port) {
  return eventually([port] { return get(port, "/health").status() != 200; });
}

void finishes_turns_after(int number) {
  std::atomic<bool> go = false;
  scripted_replica u{"u", stream_until(go)};
  ready_router r{fleet_of({u})};
  raw_client stream{r.port()};
  stream.send(chat("stream"));
  REQUIRE(stream.wait_for("{\"i\":0}"));
  r.signal(number);
  CHECK(refuses(r.port()));
  CHECK(r.process().running());
  go = true;
  const auto answer = stream.read_response();
  CHECK(answer.complete());
  CHECK(answer.body == event_text(0) + event_text(1));
  CHECK(r.process().wait_exit().value_or(-1) == 0);
}

}  // namespace

TEST_CASE("SIGTERM stops accepting and finishes turns in flight and exits 0") {
  finishes_turns_after(SIGTERM);
}

TEST_CASE("SIGINT stops accepting and finishes turns in flight and exits 0") {
  finishes_turns_after(SIGINT);
}

TEST_CASE("SIGHUP stops accepting and finishes turns in flight and exits 0") {
  finishes_turns_after(SIGHUP);
}

TEST_CASE("SIGHUP ends no router that was started with it ignored, as by nohup") {
  scripted_replica u{"u", [](replica_turn& turn) { turn.send(response("200 OK", "{}")); }};
  const auto before = std::signal(SIGHUP, SIG_IGN);
  ready_router r{fleet_of({u})};
  std::signal(SIGHUP, before);
  r.signal(SIGHUP);
  CHECK(throughout(500ms, [&] { return get(r.port(), "/health").status() == 200; }));
  CHECK(r.stop() == 0);
}

TEST_CASE("SIGTERM finishes a turn whose answer has not begun") {
  std::atomic<bool> go = false;
  scripted_replica u{"u", [&](replica_turn& turn) {
                       turn.read_body();
                       while (!go && !turn.wait_closed(10ms)) {
                       }
                       turn.send(response("200 OK", "{}"));
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat());
  REQUIRE(eventually([&] { return u.request_count() == 1; }));
  r.signal(SIGTERM);
  CHECK(refuses(r.port()));
  go = true;
  CHECK(client.read_response().status() == 200);
  CHECK(r.process().wait_exit().value_or(-1) == 0);
}

TEST_CASE("idle keep-alive connections do not delay the exit") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto clients = many_clients(r.port(), 10);
  for (std::size_t i = 0; i < 5; ++i) {
    clients[i]->send(chat());
    REQUIRE(clients[i]->read_response().status() == 200);
  }
  const auto start = clock::now();
  CHECK(r.stop() == 0);
  CHECK(clock::now() - start < 3s);
  for (auto& each : clients)
    CHECK(each->wait_end() != read_state::timeout);
}

TEST_CASE("a connection kept alive is closed or told of the shutdown once its turn is done") {
  std::atomic<bool> go = false;
  scripted_replica u{"u", stream_until(go)};
  ready_router r{fleet_of({u})};
  raw_client stream{r.port()};
  stream.send(chat("stream"));
  REQUIRE(stream.wait_for("{\"i\":0}"));
  r.signal(SIGTERM);
  CHECK(refuses(r.port()));
  // This one is in the router's hands already.
  stream.send(chat());
  go = true;
  CHECK(stream.read_response().complete());
  const auto next = stream.read_response();
  if (next.status() != 0) {
    CHECK(next.status() == 503);
    CHECK(router_error(next.body).code == "shutting_down");
    CHECK(next.get("Retry-After") == "1");
  }
  CHECK(u.request_count() == 1);
  CHECK(r.process().wait_exit().value_or(-1) == 0);
}

TEST_CASE("a turn in flight is waited for no longer than the drain timeout") {
  std::atomic<bool> go = false;
  scripted_replica u{"u", stream_until(go)};
  ready_router r{fleet_of({u}), {"--drain-timeout", "1"}};
  raw_client stream{r.port()};
  stream.send(chat("stream"));
  REQUIRE(stream.wait_for("{\"i\":0}"));
  const auto start = clock::now();
  CHECK(r.stop() == 0);
  CHECK(clock::now() - start > 900ms);
  CHECK(clock::now() - start < 5s);
  const auto end = stream.read_response().end;
  CHECK((end == body_end::cut || end == body_end::reset));
  CHECK(eventually([&] { return u.open_connections() == 0; }));
}

TEST_CASE("a second signal skips the drain") {
  for (const auto& [first, second] : {std::pair{SIGTERM, SIGTERM}, std::pair{SIGINT, SIGTERM}}) {
    std::atomic<bool> go = false;
    scripted_replica u{"u", stream_until(go)};
    ready_router r{fleet_of({u})};
    raw_client stream{r.port()};
    stream.send(chat("stream"));
    REQUIRE(stream.wait_for("{\"i\":0}"));
    r.signal(first);
    REQUIRE(refuses(r.port()));
    CHECK(r.process().running());
    r.signal(second);
    CHECK(r.process().wait_exit(5s).value_or(-1) == 0);
    const auto end = stream.read_response().end;
    CHECK((end == body_end::cut || end == body_end::reset));
  }
}

TEST_CASE("a shutdown with nothing in flight is quick and leaves nothing listening") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  const auto start = clock::now();
  CHECK(r.stop() == 0);
  CHECK(clock::now() - start < 3s);
  CHECK(!raw_client{r.port()}.open());
}

TEST_CASE("a turn whose client does not read ends with the drain timeout as well") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.send(stream_head);
                       const auto block = chunk(std::string(64UL << 10, 'x'));
                       while (turn.send(block, 1h)) {
                       }
                     }};
  ready_router r{fleet_of({u}), {"--drain-timeout", "0.5"}};
  raw_client client{r.port()};
  client.send(chat());
  REQUIRE(client.wait_for("HTTP/1.1 200"));
  CHECK(r.stop(6s) == 0);
}
