// SPDX-License-Identifier: MIT
#include "system/support/witness.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace fleet::rig;

namespace {

// The witness's stream, "big" as a body that no buffer holds, anything else answered at once.
void serve(replica_turn& turn) {
  if (turn.read_body().body == "witness")
    return witness::stream(turn);
  if (turn.request().body == "big")
    return turn.send(response("200 OK", std::string(32UL << 20, 'b')), 1h), void();
  turn.send(response("200 OK", "{}"));
}

// One router, one replica, one stream that goes on while a test's clients misbehave.
struct scene {
  explicit scene(std::vector<std::string> flags = {})
      : u{"u", serve}, r{fleet_of({u}), std::move(flags)} {
    CHECK(exchange_once(r.port(), chat("{}", "Connection: close\r\n")).status() == 200);
    rest = held_by(r);
    other.emplace(r.port());
  }
  // What has to hold when the clients of the test are gone.
  void ends_well() {
    CHECK(exchange_once(r.port(), chat("{}", "Connection: close\r\n")).status() == 200);
    CHECK(other->complaint() == "");
    other.reset();
    CHECK(back_to(r, rest));
    CHECK(r.process().running());
  }

  scripted_replica u;
  ready_router r;
  holdings rest;
  std::optional<witness> other;
};

bool ends(const std::vector<std::unique_ptr<raw_client>>& clients) {
  bool all = true;
  for (const auto& each : clients)
    all = each->wait_end() != read_state::timeout && all;
  return all;
}

}  // namespace

TEST_CASE("clients that never finish their head are answered 408 after --header-timeout") {
  scene s{{"--header-timeout", "1"}};
  const auto start = clock::now();
  auto clients = many_clients(s.r.port(), 50);
  // A byte now and then does not help.
  const std::string head =
      "POST /v1/x HTTP/1.1\r\nHost: r\r\nX-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
  for (std::size_t i = 0; i < head.size() && clock::now() - start < 2s; ++i) {
    for (const auto& each : clients)
      each->send(head.substr(i, 1));
    std::this_thread::sleep_for(30ms);
  }
  CHECK(ends(clients));
  CHECK(clock::now() - start < 8s);
  for (const auto& each : clients)
    CHECK(each->unread().starts_with("HTTP/1.1 408 "));
  clients.clear();
  s.ends_well();
}

TEST_CASE("clients that say nothing, or empty lines only, are closed after --header-timeout") {
  scene s{{"--header-timeout", "1"}};
  const auto start = clock::now();
  auto mute = many_clients(s.r.port(), 25);
  auto blank = many_clients(s.r.port(), 25);
  for (int i = 0; i < 60; ++i) {
    for (const auto& each : blank)
      each->send("\r\n\r\n\r\n");
    std::this_thread::sleep_for(25ms);
  }
  CHECK(ends(mute));
  CHECK(ends(blank));
  CHECK(clock::now() - start < 8s);
  for (const auto& each : mute)
    CHECK(each->unread().empty());
  mute.clear();
  blank.clear();
  s.ends_well();
}

TEST_CASE("a client that stands still in its body is answered 408 after --client-timeout") {
  scene s{{"--client-timeout", "1"}};
  auto clients = many_clients(s.r.port(), 50);
  for (std::size_t i = 0; i < clients.size(); ++i)
    clients[i]->send(
        i % 2 == 0 ? "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 100\r\n\r\n{"
                   : "POST /v1/x HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{");
  for (const auto& each : clients) {
    const auto answer = each->read_response();
    CHECK(answer.status() == 408);
    CHECK(router_error(answer.body).code == "body_timeout");
    CHECK(each->wait_end() != read_state::timeout);
  }
  clients.clear();
  s.ends_well();
}

TEST_CASE("a body that trickles in has --request-timeout and no more") {
  scene s{{"--request-timeout", "2", "--client-timeout", "1"}};
  s.other.reset();  // its stream would be cut as well
  raw_client client{s.r.port()};
  client.send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 1000\r\n\r\n");
  const auto start = clock::now();
  while (clock::now() - start < 6s && client.fill(100ms) == read_state::timeout)
    client.send("x");
  const auto took = clock::now() - start;
  CHECK(took > 1900ms);
  CHECK(took < 5s);
  CHECK(router_error(client.read_response().body).code == "body_timeout");
  client.close();
  CHECK(back_to(s.r, s.rest));
}

TEST_CASE("a client that takes nothing of its answer is cut after --client-timeout") {
  scene s{{"--client-timeout", "1"}};
  auto clients = many_clients(s.r.port(), 10);
  for (const auto& each : clients)
    each->send(chat("big"));
  // The witness's turn is the only one left, and the replica knows.
  CHECK(eventually([&] { return outstanding(s.r.port(), "u") == 1; }));
  CHECK(eventually([&] { return s.u.open_connections() <= 2; }));
  CHECK(s.r.logged("client_stalled"));
  for (const auto& each : clients) {
    const auto answer = each->read_response();
    CHECK(!answer.complete());
    CHECK(answer.end != body_end::late);
  }
  clients.clear();
  s.ends_well();
}

TEST_CASE("a client that takes its answer slowly but steadily gets it whole") {
  scene s{{"--client-timeout", "1"}};
  raw_client client{s.r.port()};
  client.send(chat("big"));
  const auto start = clock::now();
  while (clock::now() - start < 3s && client.fill() == read_state::data)
    std::this_thread::sleep_for(6ms);
  const auto answer = client.read_response();
  CHECK(answer.complete());
  CHECK(answer.body.size() == 32UL << 20);
  client.close();
  s.ends_well();
}

TEST_CASE("a client that closes its sending half before its request is whole is closed") {
  scene s;
  for (const std::string bytes :
       {"", "\r\n", "POST", "POST /v1/x HTTP/1.1\r\nHost: r\r\n",
        "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 5\r\n\r\n{",
        "POST /v1/x HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"}) {
    CAPTURE(bytes);
    raw_client client{s.r.port()};
    client.send(bytes);
    client.half_close();
    CHECK(client.wait_end() != read_state::timeout);
  }
  // The first, and the witness's, which may still be on its way.
  CHECK(eventually([&] { return s.u.request_count() >= 2; }));
  CHECK(s.u.request_count() == 2);
  s.ends_well();
}

TEST_CASE("connections kept between requests are closed after --idle-timeout") {
  scene s{{"--idle-timeout", "1"}};
  auto clients = many_clients(s.r.port(), 20);
  for (const auto& each : clients) {
    each->send(chat());
    CHECK(each->read_response().status() == 200);
  }
  const auto start = clock::now();
  CHECK(ends(clients));
  CHECK(clock::now() - start < 8s);
  clients.clear();
  s.ends_well();
}

TEST_CASE("no more than --max-clients connections are taken at once, and the others wait") {
  scene s{{"--max-clients", "20", "--header-timeout", "2"}};
  auto flood = many_clients(s.r.port(), 50);
  std::this_thread::sleep_for(300ms);
  // One more for each lane that was accepting.
  CHECK(s.r.process().descriptors() <= s.rest.descriptors + 20 + 2 + 2);
  CHECK(s.r.logged("accept_paused"));
  // The mute ones go after --header-timeout, 20 at a time, and this one's turn comes.
  CHECK(get(s.r.port(), "/health").status() != 0);
  flood.clear();
  s.ends_well();
}

TEST_CASE("at --max-clients connections that wait for a request make room, and no others") {
  scene s{{"--max-clients", "12"}};
  std::vector<std::unique_ptr<raw_client>> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(std::make_unique<raw_client>(s.r.port()));
    busy.back()->send("POST /v1/x HTTP/1.1\r\nHost: r\r\n");
  }
  auto kept = many_clients(s.r.port(), 4);
  for (const auto& each : kept) {
    each->send(chat());
    CHECK(each->read_response().status() == 200);
  }
  auto mute = many_clients(s.r.port(), 40);
  const auto start = clock::now();
  CHECK(get(s.r.port(), "/health").status() == 200);
  CHECK(clock::now() - start < 10s);
  CHECK(kept.front()->wait_end() != read_state::timeout);
  for (const auto& each : busy) {
    each->send("Content-Length: 0\r\n\r\n");
    CHECK(each->read_response().status() == 200);
  }
  busy.clear();
  kept.clear();
  mute.clear();
  s.ends_well();
}

TEST_CASE("at --max-clients connections are kept while nobody waits for their room") {
  scripted_replica u{"u", serve};
  ready_router r{fleet_of({u}), {"--max-clients", "8"}};
  auto kept = many_clients(r.port(), 8);
  const auto over = clock::now() + 2s;
  while (clock::now() < over)
    for (const auto& each : kept) {
      each->send(chat());
      REQUIRE(each->read_response().status() == 200);
      std::this_thread::sleep_for(150ms);
    }
  CHECK_FALSE(r.logged("accept_paused"));
}

TEST_CASE("at the limit the log has a line now and then and not one for each client") {
  scene s{{"--max-clients", "4", "--threads", "1"}};
  const auto lines = line_count(s.r.log());
  auto held = many_clients(s.r.port(), 3);
  for (int i = 0; i < 40; ++i) {
    auto more = many_clients(s.r.port(), 4);
    for (const auto& each : more)
      each->send("GET /health HTTP/1.1\r\nHost: r\r\n\r\n");
    held.front()->rst();
    held.erase(held.begin());
    held.push_back(std::move(more.front()));
    std::this_thread::sleep_for(60ms);
  }
  held.clear();
  CHECK(s.r.logged("accept_paused"));
  CHECK(line_count(s.r.log()) <= lines + 4);
  s.ends_well();
}

TEST_CASE("more clients than descriptors allow are not promised, and the log says so") {
  scripted_replica u;
  router_process r{
      router_setup{.fleet = fleet_of({u}), .flags = {"--max-clients", "1000"}, .max_files = 100}};
  CHECK(r.logged("max_clients_lowered"));
  CHECK(r.logged("asked=1000 clients=35"));
}

TEST_CASE("lanes that leave hardly a descriptor for clients are warned of at the start") {
  scripted_replica u;
  router_process r{
      router_setup{.fleet = fleet_of({u}), .flags = {"--threads", "12"}, .max_files = 130}};
  CHECK(r.logged("descriptors_short"));
  CHECK(r.logged("limit=130 lanes=12"));
}

TEST_CASE("a flood of connections that come and go leaves nothing behind") {
  scene s;
  for (int round = 0; round < 40; ++round) {
    auto clients = many_clients(s.r.port(), 50);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (i % 3 == 1)
        clients[i]->send("POST /v1/x HTTP/1.1\r\nHost");
      if (i % 3 == 2)
        clients[i]->send(chat());
      i % 2 == 0 ? clients[i]->rst() : clients[i]->close();
    }
  }
  s.ends_well();
}

TEST_CASE("garbage from many clients leaves nothing behind") {
  scene s;
  std::mt19937 dice{99};
  for (int round = 0; round < 200; ++round) {
    std::string bytes(1 + dice() % 20'000, ' ');
    for (auto& byte : bytes)
      byte = static_cast<char>(dice());
    raw_client client{s.r.port()};
    client.send(bytes);
    client.half_close();
    CHECK(client.wait_end() != read_state::timeout);
  }
  s.ends_well();
}

TEST_CASE("what is larger than any limit is refused and costs no memory") {
  scene s;
  const std::string post = "POST /v1/x HTTP/1.1\r\nHost: r\r\n";
  const std::string chunks = post + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string much(8UL << 20, 'a');
  std::string fields;
  for (int i = 0; i < 100'000; ++i)
    fields += "X-A: b\r\n";
  std::string extensions;
  for (int i = 0; i < 20'000; ++i)
    extensions += "1;" + std::string(100, 'e') + "\r\n{\r\n";
  const std::pair<std::string, int> cases[] = {
      {"POST /v1/" + much, 431},
      {much, 431},
      {post + "X-A: " + much, 431},
      {post + much, 431},
      {post + fields, 431},
      {post + "Content-Length: 99999999999\r\n\r\n" + much, 413},
      {chunks + "7fffffff\r\n" + std::string(65UL << 20, 'a'), 413},
      {chunks + "2;" + much, 400},
      {chunks + extensions, 400},
      {chunks + "0\r\nX-A: " + much, 400},
      {chunks + "0\r\n" + fields, 400},
      {"POST /replicas HTTP/1.1\r\nHost: r\r\nContent-Length: 1048577\r\n\r\n", 413},
  };
  for (const auto& [bytes, status] : cases) {
    CAPTURE(bytes.substr(0, 60));
    raw_client client{s.r.port()};
    client.send(bytes);
    const auto answer = client.read_response();
    CHECK(answer.status() == status);
    CHECK(client.wait_end() != read_state::timeout);
  }
  s.ends_well();
}

TEST_CASE("a client that sends requests and reads no answer is held by its own window") {
  scene s;
  const auto before = s.r.process().resident_kib();
  std::string many;
  for (int i = 0; i < 2000; ++i)
    many += "GET /health HTTP/1.1\r\nHost: r\r\n\r\n";
  auto clients = many_clients(s.r.port(), 10);
  for (const auto& each : clients)
    for (int i = 0; i < 20 && each->send(many, 100ms); ++i) {
    }
  CHECK(s.r.process().resident_kib() < before + growth_kib(2UL << 10));
  clients.clear();
  s.ends_well();
}
