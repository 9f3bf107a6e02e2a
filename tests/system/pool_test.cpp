// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

// Runs the n-th request through the n-th script, the last one from there on.
scripted_replica::script in_turn(const std::vector<scripted_replica::script>& scripts) {
  auto next = std::make_shared<std::atomic<std::size_t>>(0);
  return [=](replica_turn& turn) { scripts[std::min((*next)++, scripts.size() - 1)](turn); };
}

void hang_up(replica_turn& turn) {
  turn.read_body();
  turn.close();
}

void hang_up_hard(replica_turn& turn) {
  turn.read_body();
  turn.rst();
}

// One lane, so that all turns share a pool.
const std::vector<std::string> one_lane{"--threads", "1", "--health-interval", "30"};

int turn(router_process& r) {
  return exchange_once(r.port(), chat("{}", session("s"))).status();
}

}  // namespace

TEST_CASE("an idle upstream connection is used again") {
  scripted_replica u;
  ready_router r{fleet_of({u}), one_lane};
  for (int i = 0; i < 5; ++i)
    CHECK(turn(r) == 200);
  CHECK(u.connections() == 1);
}

TEST_CASE("an upstream connection after a streamed answer is used again") {
  scripted_replica u{"u", stream_of(2, 0ms)};
  ready_router r{fleet_of({u}), one_lane};
  for (int i = 0; i < 3; ++i)
    CHECK(turn(r) == 200);
  CHECK(u.connections() == 1);
}

TEST_CASE("an idle upstream connection is dropped after 4 seconds and before uvicorn's 5") {
  scripted_replica u;
  ready_router r{fleet_of({u}), one_lane};
  CHECK(turn(r) == 200);
  const auto start = clock::now();
  REQUIRE(u.open_connections() == 1);
  CHECK(eventually([&] { return u.open_connections() == 0; }));
  CHECK(clock::now() - start > 3s);
  CHECK(clock::now() - start < 5s);
  CHECK(turn(r) == 200);
  CHECK(u.connections() == 2);
}

TEST_CASE("a pooled connection that the replica closed is noticed before it is used again") {
  scripted_replica u{"u", in_turn({[](replica_turn& turn) {
                                     answer_ok(turn);
                                     turn.close();
                                   },
                                   answer_ok})};
  ready_router r{fleet_of({u}), one_lane};
  CHECK(turn(r) == 200);
  REQUIRE(eventually([&] { return u.open_connections() == 0; }));
  CHECK(turn(r) == 200);
  CHECK(u.connections() == 2);
  CHECK(u.request_count() == 2);
}

TEST_CASE("a reused connection that ends before any response byte is retried on a fresh one") {
  for (const auto& end : {hang_up, hang_up_hard}) {
    scripted_replica u{"u", in_turn({answer_ok, end, answer_ok})};
    ready_router r{fleet_of({u}), one_lane};
    CHECK(turn(r) == 200);
    const auto answer = exchange_once(r.port(), chat(R"({"again":1})", session("s")));
    CHECK(answer.status() == 200);
    CHECK(u.connections() == 2);
    CHECK(u.request_count() == 3);
    CHECK(u.last_request().body == R"({"again":1})");
    CHECK(becomes_idle(r.port()));
  }
}

TEST_CASE("a reused connection that ends under a large upload is retried on a fresh one") {
  scripted_replica u{"u", in_turn({answer_ok, [](replica_turn& turn) { turn.rst(); }, answer_ok})};
  ready_router r{fleet_of({u}), one_lane};
  CHECK(turn(r) == 200);
  const std::string body(8UL << 20, 'b');
  CHECK(exchange_once(r.port(), chat(body)).status() == 200);
  CHECK(u.request_count() == 3);
  CHECK((u.last_request().body == body));
}

TEST_CASE("a reused connection is retried once and only at the same replica") {
  scripted_replica u{"u", in_turn({answer_ok, hang_up})};
  scripted_replica v{"v", in_turn({answer_ok, hang_up})};
  ready_router r{fleet_of({u, v}), one_lane};
  CHECK(turn(r) == 200);
  const auto answer = exchange_once(r.port(), chat("{}", session("s")));
  CHECK(answer.status() == 502);
  CHECK(router_error(answer.body).code == "replica_failed");
  CHECK(u.request_count() + v.request_count() == 3);
  CHECK(std::max(u.request_count(), v.request_count()) == 3);
}

TEST_CASE("a turn that was sent on a reused connection goes to no other replica") {
  const auto die_of_it = [](scripted_replica& self) {
    return in_turn({answer_ok, [&self](replica_turn& turn) {
                      turn.read_body();
                      self.stop_listening();
                      turn.close();
                    }});
  };
  scripted_replica u{"u"};
  scripted_replica v{"v"};
  u.on_request(die_of_it(u));
  v.on_request(die_of_it(v));
  ready_router r{fleet_of({u, v}), one_lane};
  CHECK(exchange_once(r.port(), chat("{}", session("a"))).status() == 200);
  CHECK(exchange_once(r.port(), chat("{}", session("b"))).status() == 200);
  const auto answer = exchange_once(r.port(), chat("{}", session("a")));
  CHECK(answer.status() == 502);
  CHECK(router_error(answer.body).code == "replica_failed");
  CHECK(u.request_count() + v.request_count() == 3);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("a fresh connection that ends before any response byte is a 502 and not retried") {
  for (const auto& end : {hang_up, hang_up_hard}) {
    scripted_replica u{"u", end};
    scripted_replica v{"v", end};
    ready_router r{fleet_of({u, v}), one_lane};
    const auto answer = exchange_once(r.port(), chat("{}", session("s")));
    CHECK(answer.status() == 502);
    CHECK(router_error(answer.body).code == "replica_failed");
    CHECK(answer.get("X-Session-Id") == "s");
    CHECK(u.request_count() + v.request_count() == 1);
    CHECK(becomes_idle(r.port()));
  }
}

TEST_CASE("a reused connection that ends after a response byte is not retried") {
  scripted_replica u{"u", in_turn({answer_ok, [](replica_turn& turn) {
                                     turn.read_body();
                                     turn.send("HTTP/1.1 20");
                                     turn.close();
                                   }})};
  ready_router r{fleet_of({u}), one_lane};
  CHECK(turn(r) == 200);
  CHECK(turn(r) == 502);
  CHECK(u.request_count() == 2);
}

TEST_CASE("a connection is not used again when the replica's answer says so or cannot say") {
  const std::vector<std::string> answers{
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
      // Bytes past the end of the answer are not the next one.
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Mine\r\nContent-Length: "
      "0\r\n\r\n",
  };
  for (const auto& bytes : answers) {
    CAPTURE(bytes);
    scripted_replica u{"u", in_turn({answer_with(bytes), answer_ok})};
    ready_router r{fleet_of({u}), one_lane};
    const auto first = exchange_once(r.port(), chat());
    CHECK(first.status() == 200);
    CHECK(first.body == "ok");
    const auto second = exchange_once(r.port(), chat());
    CHECK(second.status() == 200);
    CHECK(second.body == R"({"ok":true})");
    CHECK(u.connections() == 2);
  }
}

TEST_CASE("a turn whose answer was not read to its end leaves no connection in the pool") {
  scripted_replica u{"u", in_turn({[](replica_turn& turn) {
                                     turn.read_body();
                                     turn.send(std::string{stream_head} + event(0));
                                     turn.wait_closed(1h);
                                   },
                                   answer_ok})};
  ready_router r{fleet_of({u}), one_lane};
  {
    raw_client client{r.port()};
    client.send(chat());
    REQUIRE(client.wait_for("{\"i\":0}"));
  }
  CHECK(turn(r) == 200);
  CHECK(u.connections() == 2);
}
