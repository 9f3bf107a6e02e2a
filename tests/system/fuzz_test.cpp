// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace fleet::rig;

namespace {

// One to four random changes to some bytes: replaced, removed, doubled, or cut off.
std::string mutated(std::string bytes, std::mt19937& dice) {
  using namespace std::string_view_literals;
  static constexpr auto spice =
      "\0\r\n\t :;,=%/\"\x7f\x80\xff"
      "09afAFGg{}[]"sv;
  for (auto changes = 1 + dice() % 4; changes > 0 && !bytes.empty(); --changes) {
    const auto at = dice() % bytes.size();
    switch (dice() % 5) {
      case 0:
        bytes[at] = static_cast<char>(dice());
        break;
      case 1:
        bytes.erase(at, 1 + dice() % 8);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, 1 + dice() % 40));
        break;
      case 3:
        bytes.insert(at, 1, spice[dice() % spice.size()]);
        break;
      default:
        if (dice() % 4 == 0)
          bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("no request that a client can garble ends the router or garbles what a replica gets") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  std::mt19937 dice{4711};
  const std::vector<std::string> seeds{
      chat(R"({"a":1,"session_id":"x"})", session("s")),
      chunked_chat(R"({"messages":[1,2,3]})", 4),
      chat("{}", "Expect: 100-continue\r\nConnection: X-A, close\r\nX-A: b\r\n"),
      "GET /health?x HTTP/1.1\r\nHost: r\r\n\r\n",
      "HEAD http://h/v1/models HTTP/1.0\r\n\r\n",
      chat("{}") + chunked_chat("{}", 1) + chat("{}")};
  for (int i = 0; i < 600; ++i) {
    CAPTURE(i);
    raw_client client{r.port()};
    REQUIRE(client.open());
    client.send(mutated(seeds[dice() % seeds.size()], dice));
    client.half_close();
    CHECK(client.wait_end() != read_state::timeout);
  }
  CHECK(becomes_idle(r.port()));
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  for (const auto& seen : u.requests()) {
    CAPTURE(seen.head);
    CHECK(seen.target().starts_with("/v1/"));
    CHECK(seen.count("Host") == 1);
    CHECK(seen.count("Content-Length") <= 1);
    CHECK(!seen.has("Transfer-Encoding"));
    CHECK(seen.end != body_end::broken);
  }
}

TEST_CASE("no answer that a replica can garble ends the router or hangs its client") {
  const std::vector<std::string> seeds{
      response("200 OK", R"({"ok":true})", "X-A: b\r\nConnection: keep-alive\r\n"),
      std::string{stream_head} + event(0) + event(1) + std::string{last_chunk},
      "HTTP/1.1 100 Continue\r\n\r\n" + response("429 Slow", "{}"),
      "HTTP/1.0 200 OK\r\n\r\nto the end", "HTTP/1.1 204 No Content\r\n\r\n"};
  std::mutex mutex;
  std::mt19937 dice{815};
  scripted_replica u{"u", [&](replica_turn& turn) {
                       std::string bytes;
                       bool keep = false;
                       {
                         const std::lock_guard lock{mutex};
                         bytes = mutated(seeds[dice() % seeds.size()], dice);
                         keep = dice() % 2 == 0;
                       }
                       turn.read_body();
                       turn.send(bytes);
                       // What is still missing then is missing for good.
                       keep ? turn.wait_closed(50ms) : turn.pause(5ms);
                       turn.close();
                     }};
  ready_router r{fleet_of({u})};
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const auto answer = exchange_once(r.port(), chat("{}", session("s")));
    CHECK(answer.status() >= 200);
    CHECK(answer.end != body_end::late);
    CHECK(answer.end != body_end::broken);
    CHECK(answer.all("X-Session-Id") == std::vector<std::string>{"s"});
  }
  CHECK(becomes_idle(r.port()));
  u.on_request(answer_ok);
  CHECK(exchange_once(r.port(), chat()).status() == 200);
}
