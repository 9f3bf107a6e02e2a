// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

// The tools of these tests against each other, without a router.

TEST_CASE("harness: the raw client reads what the scripted replica sends by length") {
  scripted_replica u;
  const auto answer = exchange_once(u.port(), chat(R"({"a":1})", session("s1")));
  CHECK(answer.status() == 200);
  CHECK(answer.complete());
  CHECK(answer.body == R"({"ok":true})");
  REQUIRE(u.request_count() == 1);
  CHECK(u.last_request().body == R"({"a":1})");
  CHECK(u.last_request().get("x-session-id") == "s1");
}

TEST_CASE("harness: a stream's events are timed and its chunks decoded") {
  scripted_replica u{"u", stream_of(3, 50ms)};
  raw_client client{u.port()};
  client.send(chunked_chat(std::string(1000, 'x'), 100));
  const auto answer = client.read_response();
  CHECK(answer.complete());
  CHECK(answer.body == event_text(0) + event_text(1) + event_text(2) + done_text);
  REQUIRE(answer.pieces.size() == 4);
  CHECK(answer.pieces[3].at - answer.pieces[0].at >= 140ms);
  CHECK(u.last_request().body.size() == 1000);
}

TEST_CASE("harness: a cut stream is told from a whole one") {
  scripted_replica u;
  raw_client client{u.port()};
  u.on_request([](replica_turn& turn) {
    turn.send(std::string{stream_head} + event(0));
    turn.close();
  });
  client.send(chat());
  CHECK(client.read_response().end == body_end::cut);
  u.on_request([](replica_turn& turn) {
    turn.send(std::string{stream_head} + event(0));
    turn.pause(100ms);
    turn.rst();
  });
  raw_client other{u.port()};
  other.send(chat());
  CHECK(other.read_response().end == body_end::reset);
}

TEST_CASE("harness: the replica sees its connection closed and comes back after going away") {
  scripted_replica u{"u", stay_mute};
  {
    raw_client client{u.port()};
    client.send(chat());
    REQUIRE(eventually([&] { return u.request_count() == 1; }));
    CHECK(u.open_connections() == 1);
    client.rst();
  }
  CHECK(eventually([&] { return u.open_connections() == 0; }));
  u.go_away();
  CHECK(raw_client{u.port()}.open() == false);
  u.come_back();
  CHECK(get(u.port(), "/health").status() == 200);
  CHECK(u.probes() == 1);
}

TEST_CASE("harness: a child's exit status and output are collected") {
  child_process child{
      {.argv = {"sh", "-c", "echo out; echo $WORD >&2; exit 7"}, .env = {{"WORD", "err"}}}};
  CHECK(child.wait_exit().value_or(-1) == 7);
  child.drain();
  CHECK(child.output_text() == "out\n");
  CHECK(child.error_text() == "err\n");
}
