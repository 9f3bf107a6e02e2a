// SPDX-License-Identifier: MIT
#include "system/support/witness.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <sys/socket.h>

using namespace fleet::rig;

namespace {

constexpr std::string_view ok = "HTTP/1.1 200 OK\r\n";

// Reads the request and sends `head`, then `piece` for as long as the router takes it.
scripted_replica::script endless(std::string head, std::string piece) {
  std::string block;
  while (block.size() < 16UL << 10)
    block += piece;
  return [=](replica_turn& turn) {
    turn.read_body();
    turn.send(head);
    while (turn.send(block, 1h)) {
    }
  };
}

// One replica whose turns misbehave as a test says, but for one stream that goes on.
struct scene {
  explicit scene(std::vector<std::string> flags = {})
      : u{"u", [this](replica_turn& turn) { serve(turn); }}, r{fleet_of({u}), std::move(flags)} {
    CHECK(exchange_once(r.port(), chat("{}", "Connection: close\r\n")).status() == 200);
    rest = held_by(r);
    other.emplace(r.port());
  }

  void misbehave(scripted_replica::script how) {
    const std::lock_guard lock{mutex};
    bad = std::move(how);
  }
  // What has to hold when the replica has come to its senses.
  void ends_well() {
    misbehave(answer_ok);
    CHECK(exchange_once(r.port(), chat("{}", "Connection: close\r\n")).status() == 200);
    CHECK(other->complaint() == "");
    other.reset();
    CHECK(back_to(r, rest));
    CHECK(health(r.port()).at("u").ready);
  }

  void serve(replica_turn& turn) {
    if (turn.read_body().body == "witness")
      return witness::stream(turn);
    scripted_replica::script how;
    {
      const std::lock_guard lock{mutex};
      how = bad;
    }
    how(turn);
  }

  std::mutex mutex;
  scripted_replica::script bad = answer_ok;
  scripted_replica u;
  ready_router r;
  holdings rest;
  std::optional<witness> other;
};

/// What the client gets of a replica that sends `piece` for ever behind `head`.
auto soon_answered(scene& s, const std::string& head, const std::string& piece) {
  s.misbehave(endless(head, piece));
  const auto start = clock::now();
  auto answer = exchange_once(s.r.port(), chat());
  CHECK(clock::now() - start < 5s);
  return answer;
}

}  // namespace

TEST_CASE("an answer's head without end is a 502 at once and costs no memory") {
  scene s;
  const std::pair<std::string, std::string> heads[] = {
      {"", "a"},
      {"HTTP/1.1 200 ", "a"},
      {std::string{ok}, "X-A: b\r\n"},
      {std::string{ok} + "X-A: ", "b"},
      {std::string{ok}, "a"},
      {"", "HTTP/1.1 102 Processing\r\n\r\n"},
      {"", "HTTP/1.1 103 Early Hints\r\nLink: </" + std::string(8000, 'x') + ">\r\n\r\n"},
      {"", "\r\n"},
  };
  for (const auto& [head, piece] : heads) {
    CAPTURE(head);
    CAPTURE(piece.substr(0, 30));
    const auto answer = soon_answered(s, head, piece);
    CHECK(answer.status() == 502);
    CHECK(router_error(answer.body).code == "bad_replica_response");
  }
  s.ends_well();
}

TEST_CASE("framing of a body without end cuts the answer at once and costs no memory") {
  scene s;
  const auto chunks = std::string{ok} + "Transfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, std::string> bodies[] = {
      {chunks + "2;", "a"},
      {chunks, "0"},
      {chunks + "2;a=\"", "a"},
      {chunks, "1;" + std::string(200, 'e') + "\r\nx\r\n"},
      {chunks + "0\r\n", "X-A: b\r\n"},
      {chunks + "0\r\nX-A: ", "b"},
  };
  for (const auto& [head, piece] : bodies) {
    CAPTURE(head);
    CAPTURE(piece.substr(0, 30));
    const auto answer = soon_answered(s, head, piece);
    CHECK(answer.status() == 200);
    CHECK((answer.end == body_end::cut || answer.end == body_end::reset));
  }
  s.ends_well();
}

TEST_CASE("a body without end is passed on without being kept, and ends when its client goes") {
  scene s;
  for (const auto* fields : {"\r\n", "Content-Length: 9999999999999999\r\n\r\n"}) {
    s.misbehave(endless(std::string{ok} + fields, "a"));
    raw_client client{s.r.port()};
    client.send(chat());
    const auto start = clock::now();
    while (clock::now() - start < 500ms && client.fill() == read_state::data)
      client.unread().clear();
    CHECK(s.r.process().resident_kib() < s.rest.resident_kib + growth_kib(2UL << 10));
  }
  s.ends_well();
}

TEST_CASE("a replica that stands still in any part of its answer is ended by --request-timeout") {
  scene s{{"--request-timeout", "1"}};
  s.other.reset();  // its stream would be cut as well
  for (const std::string part :
       {"", "H", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{",
        "HTTP/1.1 200 OK\r\n\r\n{", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"}) {
    CAPTURE(part);
    s.misbehave([part](replica_turn& turn) {
      turn.read_body();
      turn.send(part);
      turn.wait_closed(1h);
    });
    const auto start = clock::now();
    const auto answer = exchange_once(s.r.port(), chat());
    CHECK(clock::now() - start < 6s);
    CHECK(answer.status() ==
          (part.find("\r\n\r\n") == std::string::npos || part.starts_with("HTTP/1.1 100") ? 504
                                                                                          : 200));
    CHECK((answer.status() == 504 || !answer.complete()));
    CHECK(eventually([&] { return s.u.open_connections() == 0; }));
  }
  CHECK(back_to(s.r, s.rest));
}

TEST_CASE("a replica that never reads the upload is ended by --request-timeout") {
  scripted_replica deaf{"deaf", [](replica_turn& turn) { turn.pause(1h); }};
  ready_router r{fleet_of({deaf}), {"--request-timeout", "2"}};
  const auto before = held_by(r);
  const auto answer = exchange_once(r.port(), chat(std::string(32UL << 20, 'x')));
  CHECK(answer.status() == 504);
  CHECK(back_to(r, before));
}

TEST_CASE("an answer that comes byte by byte is relayed whole") {
  scene s;
  s.misbehave([](replica_turn& turn) {
    turn.read_body();
    for (const char byte : std::string{stream_head} + event(0) + std::string{last_chunk})
      turn.send({&byte, 1});
  });
  const auto answer = exchange_once(s.r.port(), chat());
  CHECK(answer.complete());
  CHECK(answer.body == event_text(0));
  s.ends_well();
}

TEST_CASE("a replica that floods an idle connection loses it and reaches no client") {
  scene s;
  // The first block is in the router's socket once send() returns; before, it could as well be an
  // answer to the next request.
  std::atomic<int> floods = 0;
  s.misbehave([&floods](replica_turn& turn) {
    turn.read_body();
    turn.send(response("200 OK", R"({"first":true})"));
    const std::string block(64UL << 10, 'z');
    turn.send(block);
    ++floods;
    for (int i = 0; i < 1000 && turn.send(block, 1s); ++i) {
    }
  });
  for (int i = 0; i < 10; ++i) {
    const auto answer = exchange_once(s.r.port(), chat());
    CHECK(answer.status() == 200);
    CHECK(answer.body == R"({"first":true})");
    CHECK(eventually([&] { return floods == i + 1; }));
  }
  s.ends_well();
}

TEST_CASE("a replica that accepts and closes, or resets, is a 502 for each turn and no more") {
  scene s;
  for (const bool hard : {true, false}) {
    s.misbehave([hard](replica_turn& turn) { hard ? turn.rst() : turn.close(); });
    for (int i = 0; i < 50; ++i) {
      const auto answer = exchange_once(s.r.port(), chat());
      CHECK(answer.status() == 502);
      CHECK(router_error(answer.body).code == "replica_failed");
    }
  }
  s.ends_well();
}

TEST_CASE("an answer that was there before the request is its client's, and no other's") {
  // What a connection says first of all can only be taken for the answer to its first request.
  scripted_replica u;
  const auto eager = listen_on("127.0.0.1", 0);
  std::atomic<bool> over = false;
  std::thread server{[&] {
    while (!over) {
      unique_fd fd{::accept4(eager.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (fd.get() < 0) {
        std::this_thread::sleep_for(1ms);
        continue;
      }
      wire line{std::move(fd)};
      line.send(response("200 OK", R"({"early":1})") + response("200 OK", R"({"early":2})"));
      line.wait_end(1s);
    }
  }};
  {
    router_process r{R"({"replicas":[{"name":"eager","host":"127.0.0.1","port":)" +
                     std::to_string(local_port(eager.get())) + "}]}"};
    CHECK(becomes_ready(r.port(), "eager"));
    for (int i = 0; i < 5; ++i) {
      const auto answer = exchange_once(r.port(), chat());
      CHECK(answer.status() == 200);
      CHECK(answer.body == R"({"early":1})");
    }
    CHECK(becomes_idle(r.port()));
  }
  over = true;
  server.join();
}

TEST_CASE("a probe's answer without end is no good probe and costs no lane its time") {
  scripted_replica u;
  scripted_replica v{"v"};
  for (const std::string piece : {"HTTP/1.1 102 Processing\r\n\r\n", "X", "\r\n"}) {
    CAPTURE(piece);
    v.on_health(endless("", piece));
    router_process r{fleet_of({u, v}), {"--threads", "1", "--connect-timeout", "2"}};
    REQUIRE(becomes_ready(r.port(), "u"));
    CHECK(eventually([&] { return v.probes() >= 3; }));
    const auto from = v.probes();
    const auto cpu = r.process().cpu_time();
    const auto start = clock::now();
    CHECK(eventually([&] { return v.probes() >= from + 3; }));
    CHECK(r.process().cpu_time() - cpu < (clock::now() - start) / 2);
    CHECK(!health(r.port()).at("v").ready);
  }
}
