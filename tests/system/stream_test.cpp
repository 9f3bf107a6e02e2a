// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace fleet::rig;

namespace {

// Streams whole pieces, each sent only after the client has all of those before: a router that
// holds anything back stops it, whatever the machine's speed.
struct lockstep {
  std::vector<std::string> pieces;
  std::atomic<std::size_t> received = 0;

  std::string whole() const {
    std::string all;
    for (const auto& each : pieces)
      all += each;
    return all;
  }

  // `wrap` gives the bytes of one piece as they go on the wire.
  scripted_replica::script script(const std::string& head, std::string (*wrap)(std::string_view),
                                  const std::string& tail) {
    return [=, this](replica_turn& turn) {
      turn.read_body();
      turn.send(head);
      std::size_t sent = 0;
      for (const auto& each : pieces) {
        turn.send(wrap(each));
        sent += each.size();
        if (!eventually([&] { return received >= sent; }))
          return turn.close();
      }
      turn.send(tail);
      if (tail.empty())
        turn.close();
    };
  }

  message play(std::uint16_t port) {
    raw_client client{port};
    client.send(chat(R"({"stream":true})"));
    return client.read_response_by_pieces(
        [this](const message& so_far) { received = so_far.body.size(); });
  }
};

std::string bare(std::string_view piece) {
  return std::string{piece};
}

std::vector<std::string> split_events() {
  return {event_text(0),    ": ping\n\n",
          "data: \xf0\x9f",  // a four-byte character cut in two
          "\x98\x80\r",      // and CR LF as well
          "\n\r\n",         done_text};
}

std::vector<std::string> single_bytes(const std::vector<std::string>& pieces) {
  std::vector<std::string> out;
  for (const auto& each : pieces)
    for (const char byte : each)
      out.emplace_back(1, byte);
  return out;
}

}  // namespace

TEST_CASE("D60 each piece of a stream reaches the client as it arrives with its bytes unchanged") {
  lockstep steps{.pieces = split_events()};
  scripted_replica u{"u", steps.script(std::string{stream_head}, chunk, std::string{last_chunk})};
  ready_router r{fleet_of({u})};
  const auto answer = steps.play(r.port());
  CHECK(answer.complete());
  CHECK(answer.body == steps.whole());
  CHECK(answer.get("Content-Type") == "text/event-stream");
  CHECK(answer.get("Cache-Control") == "no-cache");
}

TEST_CASE("D60 a stream of one byte a chunk is passed on byte by byte") {
  lockstep steps{.pieces = single_bytes(split_events())};
  scripted_replica u{"u", steps.script(std::string{stream_head}, chunk, std::string{last_chunk})};
  ready_router r{fleet_of({u})};
  const auto answer = steps.play(r.port());
  CHECK(answer.complete());
  CHECK(answer.body == steps.whole());
}

TEST_CASE("each piece of an answer framed by length is written to the client as it arrives") {
  lockstep steps{.pieces = split_events()};
  const auto head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                    std::to_string(steps.whole().size()) + "\r\n\r\n";
  scripted_replica u{"u", steps.script(head, bare, "")};
  ready_router r{fleet_of({u})};
  const auto answer = steps.play(r.port());
  CHECK(answer.complete());
  CHECK(answer.body == steps.whole());
}

TEST_CASE("each piece of an answer framed by the close is written to the client as it arrives") {
  lockstep steps{.pieces = split_events()};
  scripted_replica u{"u",
                     steps.script("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", bare, "")};
  ready_router r{fleet_of({u})};
  const auto answer = steps.play(r.port());
  CHECK(answer.complete());
  CHECK(answer.body == steps.whole());
}

TEST_CASE("the head of a stream reaches the client before its first piece") {
  scripted_replica u{"u", [](replica_turn& turn) {
                       turn.read_body();
                       turn.send(stream_head);
                       turn.wait_closed(1h);
                     }};
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send(chat(R"({"stream":true})"));
  CHECK(client.read_response_head().status() == 200);
}

namespace {

// The replica breaks off after one event; what the client gets, and that nobody retries.
void break_off(const std::string& head, const std::string& more, bool by_rst) {
  CAPTURE(head);
  CAPTURE(more);
  std::atomic<bool> got_event = false;
  const auto script = [&](replica_turn& turn) {
    turn.read_body();
    if (turn.request().body.find("first") != std::string::npos)
      return turn.send(response("200 OK", "{}")), void();
    turn.send(head);
    eventually([&] { return got_event.load(); });
    turn.send(more);
    by_rst ? turn.rst() : turn.close();
  };
  scripted_replica u{"u", script};
  scripted_replica v{"v", script};
  ready_router r{fleet_of({u, v})};
  const auto home = exchange_once(r.port(), chat("first", session("s"))).get("X-Replica");
  raw_client client{r.port()};
  client.send(chat("second", session("s")));
  const auto answer = client.read_response_by_pieces([&](const message&) { got_event = true; });
  CHECK(answer.status() == 200);
  CHECK(answer.body.find("\"i\":0") != std::string::npos);
  CHECK((answer.end == body_end::cut || answer.end == body_end::reset));
  CHECK(u.request_count() + v.request_count() == 2);
  CHECK(becomes_idle(r.port()));
  // The session keeps its pin.
  CHECK(exchange_once(r.port(), chat("first", session("s"))).get("X-Replica") == home);
  CHECK(health(r.port()).affinity_hits == 2);
}

}  // namespace

TEST_CASE("D18 a replica that ends a stream by FIN cuts the client's stream") {
  break_off(std::string{stream_head} + event(0), "", false);
}

TEST_CASE("D18 a replica that ends a stream by RST cuts the client's stream") {
  break_off(std::string{stream_head} + event(0), "", true);
}

TEST_CASE("D18 a replica that ends inside a chunk cuts the client's stream") {
  break_off(std::string{stream_head} + event(0), "20\r\ndata: {\"i\"", false);
}

TEST_CASE("D18 a replica that ends short of its length cuts the client's answer") {
  break_off("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"i\":0}...", "", false);
}

TEST_CASE("a replica whose chunked coding breaks mid-stream cuts the client's stream") {
  break_off(std::string{stream_head} + event(0), "zz\r\nno chunk\r\n", false);
}

TEST_CASE("a slow client slows the replica and does not grow the router's memory") {
  constexpr std::size_t most = 160UL << 20;
  const std::string block(64UL << 10, 'x');
  std::atomic<std::size_t> sent = 0;
  std::atomic<bool> reading = false;
  scripted_replica u{"u", [&](replica_turn& turn) {
                       turn.read_body();
                       turn.send(stream_head);
                       for (; sent < most; sent += block.size())
                         if (!turn.send(chunk(block), reading ? patience : 1h))
                           return;
                       turn.send(last_chunk);
                     }};
  ready_router r{fleet_of({u})};
  const auto before = r.process().resident_kib();
  raw_client client{r.port()};
  client.send(chat(R"({"stream":true})"));
  REQUIRE(client.wait_for("HTTP/1.1 200"));
  // Stalled: nothing more was taken for a while.
  std::size_t last = 0;
  REQUIRE(eventually([&] {
    last = sent;
    return throughout(500ms, [&] { return sent == last; });
  }));
  CHECK(last < most / 2);
  CHECK(r.process().resident_kib() < before + growth_kib(2UL << 10));
  reading = true;
  const auto answer = client.read_response("POST", 40s);
  CHECK(answer.complete());
  CHECK(answer.body.size() == most);
}

TEST_CASE("responses have no size limit") {
  constexpr std::size_t size = 70UL << 20;
  scripted_replica u{"u", answer_with(response("200 OK", std::string(size, 'y')))};
  ready_router r{fleet_of({u}), {"--max-body", "1000"}};
  const auto answer = exchange_once(r.port(), chat(), "POST", 40s);
  CHECK(answer.complete());
  CHECK(answer.body.size() == size);
  CHECK(answer.body.find_first_not_of('y') == std::string::npos);
}

TEST_CASE("streams of many clients run side by side") {
  scripted_replica u{"u", stream_of(5, 50ms)};
  scripted_replica v{"v", stream_of(5, 50ms)};
  ready_router r{fleet_of({u, v})};
  const auto whole =
      event_text(0) + event_text(1) + event_text(2) + event_text(3) + event_text(4) + done_text;
  const auto clients = many_clients(r.port(), 40);
  for (auto& each : clients)
    each->send(chat(R"({"stream":true})"));
  for (auto& each : clients) {
    const auto answer = each->read_response();
    CHECK(answer.complete());
    CHECK(answer.body == whole);
  }
  CHECK(u.request_count() == 20);
  CHECK(v.request_count() == 20);
}
