// SPDX-License-Identifier: MIT
// GET /events: what happens to the fleet, as a text/event-stream.
#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;

namespace {

using namespace std::chrono_literals;

constexpr wall_time noon{1'800'000'000s + 250ms};

struct event_fixture : lane_fixture {
  void happen(const std::string& slot) { ring.append(noon, "replacing", {{"slot", slot}}); }

  void ask(std::string_view target, std::string_view fields = {},
           std::string_view version = "1.1") {
    send("GET " + std::string(target) + " HTTP/" + std::string(version) + "\r\nHost: r\r\n" +
         std::string(fields) + "\r\n");
    REQUIRE(gets("\r\n\r\n"));
  }

  /// A second client's connection to the same lane.
  tcp_socket connect() {
    tcp_socket other(lane.io.get_executor());
    tcp_acceptor acceptor(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    other.connect(acceptor.local_endpoint());
    tcp_socket accepted(lane.io.get_executor());
    acceptor.accept(accepted);
    accepted.set_option(asio::socket_base::send_buffer_size(4096));
    client_connection::start(std::make_shared<client_connection>(*services, std::move(accepted)));
    return other;
  }

  bool has(std::string_view text) const { return received.find(text) != std::string::npos; }

  std::size_t count(std::string_view text) const {
    std::size_t found = 0;
    for (auto at = received.find(text); at != std::string::npos; at = received.find(text, at + 1)) {
      ++found;
    }
    return found;
  }

  bool ends() {
    return run_until([this] { return bool(client_end); });
  }
};

const std::string first_event =
    "id: b00t-1\nevent: replacing\n"
    "data: {\"at\":\"2027-01-15T08:00:00.250Z\",\"event\":\"replacing\",\"slot\":\"n-d0\"}\n\n";

}  // namespace

TEST_CASE_FIXTURE(event_fixture, "GET /events tells what happens from now on, each with its id") {
  happen("before");
  ask("/events");
  CHECK(has("HTTP/1.1 200 OK\r\n"));
  CHECK(has("Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"));
  CHECK(has("Transfer-Encoding: chunked\r\nConnection: close\r\n"));
  happen("n-d0");
  CHECK(gets("\"slot\":\"n-d0\"}\n\n"));
  CHECK(has("id: b00t-2\nevent: replacing\ndata: {"));
  CHECK_FALSE(has("before"));
}

TEST_CASE_FIXTURE(event_fixture,
                  "an event's data is its time, its name and the fields of its line") {
  happen("n-d0");
  ask("/events?after=0");
  CHECK(gets(first_event));
}

TEST_CASE_FIXTURE(event_fixture, "a text of many lines stays one line of data") {
  ring.append(noon, "replica_exited", {{"reason", "exit status 3\nevent: forged\n\n\"quoted\""}});
  ask("/events?after=0");
  CHECK(gets(R"("reason":"exit status 3\nevent: forged\n\n\"quoted\""})"));
  CHECK_FALSE(has("\nevent: forged"));
}

TEST_CASE_FIXTURE(event_fixture, "Last-Event-ID resumes behind that event, before ?after=") {
  for (const auto* slot : {"a", "b", "c"})
    happen(slot);
  ask("/events?after=b00t-0", "last-event-id: b00t-2\r\n");
  CHECK(gets("id: b00t-3\n"));
  CHECK_FALSE(has("id: b00t-2\n"));
  CHECK_FALSE(has("event: reset"));
}

TEST_CASE_FIXTURE(event_fixture, "?after= resumes behind that event") {
  for (const auto* slot : {"a", "b", "c"})
    happen(slot);
  ask("/events?after=b00t%2D1");
  CHECK(gets("id: b00t-3\n"));
  CHECK(has("id: b00t-2\n"));
  CHECK_FALSE(has("id: b00t-1\n"));
  CHECK_FALSE(has("event: reset"));
}

TEST_CASE("an id of an earlier router, or none, is answered by a reset") {
  for (const auto* id :
       {"old-3", "b00t-3x", "b00t-", "b00t", "3", "b00t-4", "b00t-18446744073709551616"}) {
    CAPTURE(id);
    event_fixture each;
    for (const auto* slot : {"a", "b", "c"})
      each.happen(slot);
    each.ask("/events", "Last-Event-ID: " + std::string(id) + "\r\n");
    CHECK(each.gets("id: b00t-3\n"));
    CHECK(each.has("\r\nevent: reset\ndata: {}\n\nid: b00t-1\n"));
    CHECK(each.count("event: reset") == 1);
  }
}

TEST_CASE_FIXTURE(event_fixture,
                  "a place that is no longer kept is answered by a reset and what is") {
  for (int i = 0; i < 12; ++i)
    happen("s" + std::to_string(i));
  ask("/events?after=b00t-3");
  CHECK(gets("id: b00t-12\n"));
  CHECK(received.find("event: reset\ndata: {}\n\nid: b00t-5\n") != std::string::npos);
  CHECK(count("id: ") == 8);
}

TEST_CASE_FIXTURE(event_fixture, "a reader that misses some while it follows is told so") {
  ask("/events");
  for (int i = 0; i < 12; ++i)
    happen("s" + std::to_string(i));
  CHECK(gets("id: b00t-12\n"));
  CHECK(has("event: reset\ndata: {}\n\nid: b00t-5\n"));
}

TEST_CASE_FIXTURE(event_fixture, "?samples=1 adds the counts once a second, without an id") {
  port->seen = {.sessions = 4, .routed = 3, .affinity_hits = 2, .rejected = 1};
  port->seen.replicas.push_back(
      {.name = "n-d0", .outstanding = 5, .routed = 6, .answers = 2, .first_byte_sum = 12500us});
  const auto begin = steady_clock::now();
  ask("/events?samples=1");
  CHECK(gets("event: sample\ndata: {\"at\":\"20"));
  CHECK(gets(
      R"("routed":3,"affinity_hits":2,"rejected":1,"sessions":4,"replicas":[)"
      R"({"name":"n-d0","outstanding":5,"routed":6,"answers":2,"first_byte_ms_sum":1.25E1}]})"));
  CHECK(run_until([this] { return count("event: sample") == 3; }));
  CHECK(steady_clock::now() - begin > 1900ms);
  CHECK(count("id: ") == 0);
}

TEST_CASE_FIXTURE(event_fixture,
                  "the stream goes on while the router stops and ends whole, with its last event") {
  ask("/events");
  ring.append(noon, "stopping", {{"signal", "15"}});
  services->stopping = true;
  REQUIRE(gets("event: stopping\n"));
  ring.append(noon, "stop_unconfirmed", {{"slot", "a"}});
  services->fleet_ended = true;
  CHECK(ends());
  CHECK(client_end == asio::error::eof);
  CHECK(has("event: stop_unconfirmed\n"));
  CHECK(received.ends_with("\n\n\r\n0\r\n\r\n"));
}

TEST_CASE_FIXTURE(event_fixture, "an HTTP/1.0 client gets the messages alone") {
  happen("n-d0");
  ask("/events?after=0", {}, "1.0");
  CHECK(gets("\r\n\r\n" + first_event));
}

TEST_CASE_FIXTURE(event_fixture, "a client that leaves is told nothing any longer") {
  ask("/events");
  CHECK(events.followers == 1);
  client.close();
  CHECK(run_until([this] { return services->client_count == 0; }));
  CHECK(events.followers == 0);
}

TEST_CASE_FIXTURE(event_fixture, "a slow reader is cut and may resume, and costs nobody else") {
  settings.event_timeout = 100ms;
  ask("/events");
  auto slow = connect();
  slow.set_option(asio::socket_base::receive_buffer_size(4096));
  asio::write(slow, asio::buffer(std::string("GET /events HTTP/1.1\r\nHost: r\r\n\r\n")));
  CHECK(run_until([this] { return events.followers == 2; }));
  std::uint64_t told = 0;
  CHECK(run_until([&] {
    received.clear();
    ring.append(noon, "replica_exited", {{"reason", std::string(event_ring::longest_value, 'x')}});
    CHECK(gets("id: b00t-" + std::to_string(++told) + "\n"));
    return events.followers == 1;
  }));
  happen("after");
  CHECK(gets("\"slot\":\"after\""));
}

TEST_CASE_FIXTURE(event_fixture, "so many clients may follow; the next one is told to come again") {
  ask("/events");
  events.followers += follower::most - 1;
  auto other = connect();
  asio::write(other, asio::buffer(std::string("GET /events HTTP/1.1\r\nHost: r\r\n\r\n")));
  std::array<char, 2048> piece{};
  std::string answer;
  other.async_read_some(asio::buffer(piece),
                        [&](error_code, std::size_t n) { answer.assign(piece.data(), n); });
  CHECK(run_until([&] { return !answer.empty(); }));
  CHECK(answer.starts_with("HTTP/1.1 503"));
  CHECK(answer.find("Retry-After: 1\r\n") != std::string::npos);
  CHECK(answer.find("\"code\":\"too_many_followers\"") != std::string::npos);
  CHECK(events.followers == follower::most);
  events.followers -= follower::most - 1;
  other.close();
  CHECK(run_until([this] { return services->client_count == 1; }));
}

TEST_CASE_FIXTURE(event_fixture, "other words, other methods and a HEAD open no stream") {
  ask("/events?samples=2");
  CHECK(has("HTTP/1.1 400"));
  received.clear();
  send("POST /events HTTP/1.1\r\nHost: r\r\nContent-Length: 0\r\n\r\n");
  CHECK(gets("HTTP/1.1 405"));
  CHECK(gets("Allow: GET, HEAD\r\n"));
  received.clear();
  send("HEAD /events HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(gets("HTTP/1.1 200"));
  CHECK(events.followers == 0);
}
