// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"
#include "system/support/black_hole.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

enum class way { rst, close, half_close };

// A client that leaves by `how` once the turn has come as far as the body says: "before" the
// answer's head or "after" its first event.
void leave(std::uint16_t port, scripted_replica& u, const std::string& when, bool streaming,
           way how) {
  CAPTURE(when);
  CAPTURE(streaming);
  CAPTURE(static_cast<int>(how));
  const auto seen = u.request_count();
  raw_client client{port};
  client.send(chat(R"({"when":")" + when + R"(","stream":)" + (streaming ? "true}" : "false}")));
  REQUIRE(eventually([&] { return u.request_count() == seen + 1; }));
  if (when == "after")
    REQUIRE(client.wait_for("{\"i\":0}"));
  else
    REQUIRE(eventually([&] { return u.last_request().complete(); }));
  CHECK(u.open_connections() == 1);
  if (how == way::rst)
    client.rst();
  else if (how == way::close)
    client.close();
  else
    client.half_close();
  CHECK(eventually([&] { return u.open_connections() == 0; }, 5s));
  CHECK(eventually([&] { return outstanding(port, "u") == 0; }));
}

void silent_or_one_event(replica_turn& turn) {
  const auto& body = turn.read_body().body;
  if (body.find("after") != std::string::npos) {
    const bool streaming = body.find("true") != std::string::npos;
    turn.send(streaming ? std::string{stream_head} + event(0)
                        : "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + event_text(0));
  }
  turn.wait_closed(1h);
}

void leave_in_every_phase(way how) {
  scripted_replica u{"u", silent_or_one_event};
  ready_router r{fleet_of({u})};
  for (int round = 0; round < 5; ++round)
    for (const bool streaming : {true, false})
      for (const auto* when : {"before", "after"})
        leave(r.port(), u, when, streaming, how);
  u.on_request(answer_ok);
  CHECK(exchange_once(r.port(), chat()).status() == 200);
}

}  // namespace

TEST_CASE("D02 a client that leaves by RST while no byte flows cancels the turn at the replica") {
  leave_in_every_phase(way::rst);
}

TEST_CASE("D02 a client that leaves by FIN while no byte flows cancels the turn at the replica") {
  leave_in_every_phase(way::close);
}

TEST_CASE("D02 a client that closes only its sending half counts as gone") {
  leave_in_every_phase(way::half_close);
}

namespace {

// Fills the way to a client that does not read; returns once the replica is slowed.
void stall(std::atomic<std::size_t>& sent) {
  std::size_t last = 0;
  REQUIRE(eventually([&] {
    last = sent;
    return last > 0 && throughout(300ms, [&] { return sent == last; });
  }));
}

}  // namespace

TEST_CASE("D02 a client that leaves while it is too slow for its stream cancels the turn") {
  for (const auto how : {way::rst, way::close, way::half_close}) {
    CAPTURE(static_cast<int>(how));
    std::atomic<std::size_t> sent = 0;
    scripted_replica u{"u", [&](replica_turn& turn) {
                         turn.read_body();
                         turn.send(stream_head);
                         const auto block = chunk(std::string(64UL << 10, 'x'));
                         while (turn.send(block, 1h))
                           sent += block.size();
                       }};
    ready_router r{fleet_of({u})};
    raw_client client{r.port()};
    client.send(chat());
    REQUIRE(client.wait_for("HTTP/1.1 200"));
    stall(sent);
    if (how == way::rst)
      client.rst();
    else if (how == way::close)
      client.close();
    else
      client.half_close();
    CHECK(eventually([&] { return u.open_connections() == 0; }, 5s));
    CHECK(becomes_idle(r.port()));
  }
}

TEST_CASE("a client that leaves in the midst of its upload reaches no replica") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  for (const bool hard : {true, false}) {
    raw_client client{r.port()};
    client.send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 1000\r\n\r\n{\"half\":");
    hard ? client.rst() : client.half_close();
    if (!hard)
      CHECK(client.wait_end() != read_state::timeout);
  }
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(u.request_count() == 1);
  CHECK(health(r.port()).routed == 1);
  CHECK(becomes_idle(r.port()));
}

TEST_CASE(
    "a client that leaves while its replica is being connected to ends its turn without a pin") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--connect-timeout", "12", "--health-interval", "60"}};
  u.go_away();
  const black_hole hole{u.port()};
  raw_client client{r.port()};
  client.send(chat("{}", "X-Session-Id: hasty\r\n"));
  REQUIRE(eventually([&] { return outstanding(r.port(), "u") == 1; }));
  client.rst();
  CHECK(eventually([&] { return outstanding(r.port(), "u") == 0; }, 5s));
  CHECK(get(r.port(), "/sessions/hasty").status() == 404);
}

TEST_CASE("many clients that leave at once leave nothing outstanding and no descriptor open") {
  scripted_replica u{"u", stay_mute};
  ready_router r{fleet_of({u})};
  const auto before = r.process().descriptors();
  for (int round = 0; round < 3; ++round) {
    const auto clients = many_clients(r.port(), 50);
    for (const auto& each : clients)
      each->send(chat());
    REQUIRE(eventually([&] { return outstanding(r.port(), "u") == 50; }));
    for (auto& each : clients)
      each->rst();
    CHECK(becomes_idle(r.port()));
  }
  CHECK(eventually([&] { return u.open_connections() == 0; }));
  CHECK(eventually([&] { return r.process().descriptors() <= before + 2; }));
}

TEST_CASE("requests piled up behind a running turn neither grow memory nor hide a reset") {
  scripted_replica u{"u", stay_mute};
  ready_router r{fleet_of({u})};
  const auto before = r.process().resident_kib();
  raw_client client{r.port()};
  client.send(chat());
  REQUIRE(eventually([&] { return u.request_count() == 1; }));
  std::string pile;
  while (pile.size() < 16UL << 20)
    pile += chat(std::string(60'000, 'p'));
  CHECK(!client.send(pile, 1s));
  CHECK(r.process().resident_kib() < before + growth_kib(2UL << 10));
  client.rst();
  CHECK(eventually([&] { return u.open_connections() == 0; }, 5s));
  CHECK(becomes_idle(r.port()));
}
