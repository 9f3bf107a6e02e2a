// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace fleet::rig;

namespace {

// A stream that goes on until the client leaves.
void endless(replica_turn& turn) {
  if (turn.read_body().body != "endless")
    return turn.send(response("200 OK", "{}")), void();
  turn.send(stream_head);
  while (turn.send(event(1)) && turn.pause(20ms)) {
  }
}

std::uint16_t free_port() {
  return local_port(listen_on("127.0.0.1", 0).get());
}

bool answers(std::uint16_t port) {
  return eventually([port] { return get(port, "/health").status() != 0; });
}

}  // namespace

TEST_CASE("D08 out of file descriptors accepting pauses and resumes and running streams go on") {
  scripted_replica u{"u", endless};
  router_process r{router_setup{.fleet = fleet_of({u}), .flags = {}, .max_files = 64}};
  REQUIRE(becomes_ready(r.port(), "u"));
  raw_client stream{r.port()};
  stream.send(chat("endless"));
  REQUIRE(stream.wait_for("{\"i\":1}"));
  const auto lines = line_count(r.log());
  const auto cpu = r.process().cpu_time();
  const auto start = clock::now();
  auto idle = many_clients(r.port(), 200);
  // More clients than descriptors: that is what the rest of this test is about.
  REQUIRE(eventually([&] { return r.log().find("accept_paused") != std::string::npos; }));
  for (int i = 0; i < 30; ++i) {
    stream.unread().clear();
    CHECK(stream.wait_for(event_text(1)));
    std::this_thread::sleep_for(100ms);
  }
  const auto span = clock::now() - start;
  CHECK(r.process().cpu_time() - cpu < span / 2);
  idle.clear();
  const auto released = clock::now();
  CHECK(answers(r.port()));
  CHECK(clock::now() - released < 5s);
  CHECK(becomes_ready(r.port(), "u"));
  stream.unread().clear();
  CHECK(stream.wait_for(event_text(1)));
  CHECK(line_count(r.log()) < lines + 20);
  CHECK(exchange_once(r.port(), chat()).status() == 200);
}

TEST_CASE("D56 bodies of many megabytes arrive whole by length and by chunks") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  for (const std::size_t size : {1'100'000UL, 9UL << 20, 32UL << 20}) {
    CAPTURE(size);
    std::string body(size, 'a');
    for (std::size_t i = 0; i < size; i += 997)
      body[i] = static_cast<char>('a' + i % 26);
    client.send(chat(body), 30s);
    CHECK(client.read_response("POST", 30s).status() == 200);
    CHECK((u.last_request().body == body));
    client.send(chunked_chat(body, 100'000), 30s);
    CHECK(client.read_response("POST", 30s).status() == 200);
    CHECK((u.last_request().body == body));
  }
}

TEST_CASE("a body above --max-body is a 413 by length and by chunks and reaches no replica") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--max-body", "1000"}};
  const std::string most(1000, 'x');
  CHECK(exchange_once(r.port(), chat(most)).status() == 200);
  CHECK(exchange_once(r.port(), chunked_chat(most, 300)).status() == 200);
  for (const auto& bytes : {chat(most + "x"), chunked_chat(most + "x", 300)}) {
    const auto answer = exchange_once(r.port(), bytes);
    CHECK(answer.status() == 413);
    CHECK(router_error(answer.body).code == "body_too_large");
  }
  CHECK(u.request_count() == 2);
}

TEST_CASE("bodies above --max-bodies in all are a 503, small ones pass, and what ends makes room") {
  std::atomic<bool> hold = true;
  scripted_replica slow{"slow", [&](replica_turn& turn) {
                          turn.read_body();
                          while (hold && turn.pause(5ms)) {
                          }
                          turn.send(response("200 OK", "{}"));
                        }};
  ready_router r{fleet_of({slow}), {"--max-bodies", "3000000"}};
  const std::string body(2'000'000, 'x');
  raw_client first{r.port()};
  first.send(chat(body), 10s);
  CHECK(eventually([&] { return slow.request_count() == 1; }));
  raw_client stays{r.port()};
  stays.send(chat(std::string(1'500'000, 'x')), 10s);
  CHECK(stays.read_response().status() == 503);
  for (const auto& bytes : {chat(body), chunked_chat(body, 100'000)}) {
    const auto refused = exchange_once(r.port(), bytes);
    CHECK(refused.status() == 503);
    CHECK(refused.get("Retry-After") == "1");
    CHECK(router_error(refused.body).code == "overloaded");
  }
  raw_client small{r.port()};
  small.send(chat(std::string(60'000, 'x')));
  CHECK(eventually([&] { return slow.request_count() == 2; }));
  hold = false;
  CHECK(first.read_response("POST").status() == 200);
  CHECK(small.read_response("POST").status() == 200);
  // What was refused holds nothing, although its client has not gone.
  const auto start = clock::now();
  CHECK(eventually(
      [&] { return exchange_once(r.port(), chat(std::string(2'800'000, 'x'))).status() == 200; }));
  CHECK(clock::now() - start < 3s);
}

TEST_CASE("the default body limit is 64 MiB") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  raw_client client{r.port()};
  client.send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 67108865\r\n\r\n");
  CHECK(client.read_response().status() == 413);
  const auto answer = exchange_once(
      r.port(), "POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 99999999999999999999\r\n\r\n");
  CHECK((answer.status() == 413 || answer.status() == 400));
  const auto chunk = exchange_once(r.port(),
                                   "POST /v1/x HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: "
                                   "chunked\r\n\r\nfffffffffffffffff\r\n{}");
  CHECK((chunk.status() == 413 || chunk.status() == 400));
  CHECK(u.request_count() == 0);
}

TEST_CASE(
    "an error sent while the client still uploads is readable by a client that writes first") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--max-body", "1000"}};
  const std::string body(16UL << 20, 'x');
  for (const auto& bytes : {chat(body), chunked_chat(body, 100'000)}) {
    raw_client client{r.port()};
    client.send(bytes);
    const auto answer = client.read_response();
    CHECK(answer.status() == 413);
    CHECK(answer.complete());
  }
}

TEST_CASE("a request head of up to 64 KiB passes and a larger one is a 431") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto with = [&](std::size_t size, std::size_t lines) {
    std::string fields;
    for (std::size_t i = 0; i < lines; ++i)
      fields += "X-Pad: " + std::string(size / lines, 'p') + "\r\n";
    return exchange_once(r.port(), chat("{}", fields));
  };
  CHECK(with(60'000, 1).status() == 200);
  CHECK(u.last_request().get("X-Pad").size() == 60'000);
  CHECK(with(60'000, 100).status() == 200);
  CHECK(u.last_request().count("X-Pad") == 100);
  for (const std::size_t lines : {1UL, 100UL}) {
    const auto answer = with(70'000, lines);
    CHECK(answer.status() == 431);
    CHECK(router_error(answer.body).code == "header_too_large");
  }
  const auto target =
      exchange_once(r.port(), request("POST", "/v1/" + std::string(70'000, 't'), "{}"));
  CHECK((target.status() == 431 || target.status() == 414));
  CHECK(u.request_count() == 2);
}

TEST_CASE("a replica's head of up to 64 KiB passes and a larger one is a 502") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto with = [&](std::size_t size) {
    u.on_request(
        answer_with(response("200 OK", "{}", "X-Pad: " + std::string(size, 'p') + "\r\n")));
    return exchange_once(r.port(), chat());
  };
  const auto passed = with(60'000);
  CHECK(passed.status() == 200);
  CHECK(passed.get("X-Pad").size() == 60'000);
  const auto refused = with(70'000);
  CHECK(refused.status() == 502);
  CHECK(router_error(refused.body).code == "bad_replica_response");
}

TEST_CASE("a head that is not complete after 30 seconds is a 408 and a close") {
  scripted_replica u;
  ready_router r{fleet_of({u})};
  const auto start = clock::now();
  raw_client client{r.port()};
  client.send("POST /v1/x HTTP/1.1\r\nHost: r\r\n");
  REQUIRE(client.fill(45s) == read_state::data);
  const auto took = clock::now() - start;
  CHECK(took > 28s);
  CHECK(took < 40s);
  const auto answer = client.read_response();
  CHECK(answer.status() == 408);
  CHECK(router_error(answer.body).code == "header_timeout");
  CHECK(client.wait_end() != read_state::timeout);
}

TEST_CASE("D84 the port can be bound again at once after a stop in the midst of streams") {
  scripted_replica u{"u", endless};
  const auto port = free_port();
  const std::vector<std::string> flags{"--port", std::to_string(port), "--drain-timeout", "1"};
  {
    ready_router r{fleet_of({u}), flags};
    const auto clients = many_clients(port, 20);
    for (const auto& each : clients) {
      each->send(chat("endless"));
      REQUIRE(each->wait_for("{\"i\":1}"));
    }
    CHECK(r.stop() == 0);
  }
  ready_router again{fleet_of({u}), flags};
  CHECK(again.port() == port);
  CHECK(exchange_once(port, chat()).status() == 200);
}

TEST_CASE("D84 clients that reset mid-stream do the router no harm") {
  scripted_replica u{"u", endless};
  ready_router r{fleet_of({u})};
  for (int round = 0; round < 5; ++round) {
    const auto clients = many_clients(r.port(), 100);
    for (const auto& each : clients)
      each->send(chat("endless"));
    for (auto& each : clients) {
      REQUIRE(each->wait_for("{\"i\":1}"));
      each->rst();
    }
  }
  CHECK(becomes_idle(r.port()));
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(r.stop() == 0);
}

TEST_CASE("D84 a log reader that is gone does not end the router") {
  scripted_replica u;
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const auto port = free_port();
  unique_fd writer{ends[1]};
  router_process r{router_setup{.fleet = fleet_of({u}),
                                .flags = {"--port", std::to_string(port), "--log-level", "debug"},
                                .error_fd = writer.get()}};
  REQUIRE(answers(port));
  ::close(ends[0]);
  for (int i = 0; i < 20; ++i)
    CHECK(exchange_once(port, chat("{}", "Connection: close\r\n")).status() == 200);
  u.healthy(false);
  REQUIRE(becomes_ready(port, "u", false));
  CHECK(exchange_once(port, chat()).status() == 503);
  CHECK(r.stop() == 0);
}
