// SPDX-License-Identifier: MIT
// What turns leave in GET /metrics.
#include "metrics.hpp"

#include "lane_fixture.hpp"

using namespace fleet;
using namespace fleet::http;
using end = scripted_upstream::end;

namespace {

const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhol";
const std::string begun = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n";
const std::string chat_turn =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: r\r\nContent-Length: 2\r\n\r\n{}";

struct metered_lane : lane_fixture {
  metered_lane() { show("replica1"); }

  void show(const std::string& name) { port->seen.replicas.push_back({.name = name}); }

  /// The value of a series as GET /metrics says it, on a connection of its own; -1: there is none.
  double value(const std::string& series) {
    const auto text = scrape();
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  std::string scrape(const std::string& fields = "") {
    lane_services& services_here = *services;
    tcp_acceptor acceptor(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    tcp_socket socket(lane.io);
    socket.connect(acceptor.local_endpoint());
    tcp_socket accepted(lane.io.get_executor());
    acceptor.accept(accepted);
    client_connection::start(
        std::make_shared<client_connection>(services_here, std::move(accepted)));
    asio::write(socket, asio::buffer("GET /metrics HTTP/1.1\r\nHost: r\r\nConnection: close\r\n" +
                                     fields + "\r\n"));
    std::string text;
    bool ended = false;
    asio::co_spawn(
        lane.io,
        [&]() -> awaitable<void> {
          while (!ended) {
            std::array<char, 4096> piece{};
            const auto [ec, n] = co_await socket.async_read_some(asio::buffer(piece), use_tuple);
            text.append(piece.data(), n);
            ended = !!ec;
          }
        },
        asio::detached);
    CHECK(run_until([&] { return ended; }));
    return text;
  }

  bool counted(const std::string& series, double wanted) {
    const auto over = steady_clock::now() + std::chrono::seconds(5);
    while (value(series) != wanted && steady_clock::now() < over) {
    }
    return value(series) == wanted;
  }
};

std::string turns(const std::string& route, const std::string& code, const std::string& replica) {
  return "pypto_router_turns_total{route=\"" + route + "\",code=\"" + code + "\",replica=\"" +
         replica + "\"}";
}

}  // namespace

TEST_CASE_FIXTURE(metered_lane, "a turn counts by route, class of its status and replica") {
  upstream_that(whole, end::keep);
  CHECK(value(turns("chat_completions", "2xx", "replica1")) == 0);
  send(chat_turn);
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(counted(turns("chat_completions", "2xx", "replica1"), 1));
  CHECK(value(turns("other", "2xx", "replica1")) == 0);
  CHECK(value("pypto_router_first_byte_seconds_count{replica=\"replica1\"}") == 1);
  CHECK(value("pypto_router_turn_seconds_count{replica=\"replica1\"}") == 1);
  CHECK(value("pypto_router_piece_gap_seconds_count{replica=\"replica1\"}") == 0);
  CHECK(value("pypto_router_added_seconds_count") == 1);
}

TEST_CASE_FIXTURE(metered_lane, "a turn counts by how its replica was chosen") {
  struct row {
    affinity how;
    std::string fields;
    std::string outcome;
  };
  const std::string session = "X-Session-Id: s\r\n";
  const auto affinities = [](const std::string& outcome) {
    return "pypto_router_affinity_total{outcome=\"" + outcome + "\"}";
  };
  for (const auto& [how, fields, outcome] :
       {row{affinity::fresh, "", "new"}, row{affinity::fresh, session, "miss"},
        row{affinity::expired, session, "expired"}, row{affinity::hit, session, "hit"},
        row{affinity::moved_load, session, "moved_slack"},
        row{affinity::moved_gone, session, "moved_loss"}, row{affinity::none, session, "none"}}) {
    CAPTURE(outcome);
    CHECK(value(affinities(outcome)) == 0);
    upstream_that(whole, end::keep);
    port->answers.back().where.how = how;
    received.clear();
    send("POST /v1/x HTTP/1.1\r\nHost: r\r\nContent-Length: 2\r\n" + fields + "\r\n{}");
    CHECK(gets("\r\n\r\nwhol"));
    CHECK(counted(affinities(outcome), 1));
  }
}

TEST_CASE_FIXTURE(metered_lane, "pins count, and those that ended by their cause") {
  port->seen.sessions = 7;
  port->seen.ended = {.expired = 1, .evicted = 2, .released = 3};
  CHECK(value("pypto_router_pins") == 7);
  CHECK(value("pypto_router_pin_evictions_total{cause=\"expired\"}") == 1);
  CHECK(value("pypto_router_pin_evictions_total{cause=\"capacity\"}") == 2);
  CHECK(value("pypto_router_pin_evictions_total{cause=\"replica\"}") == 3);
}

TEST_CASE_FIXTURE(metered_lane, "a path that a client made up adds no series") {
  upstream_that(whole, end::keep);
  send("POST /v1/made/up?x=1 HTTP/1.1\r\nHost: r\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(counted(turns("other", "2xx", "replica1"), 1));
  CHECK(scrape().find("made") == std::string::npos);
}

TEST_CASE_FIXTURE(metered_lane, "an error of the router counts by its reason, without a replica") {
  send(chat_turn);
  CHECK(gets("no_replica"));
  CHECK(counted("pypto_router_refusals_total{reason=\"no_replica\"}", 1));
  CHECK(value(turns("chat_completions", "5xx", "")) == 1);
}

TEST_CASE_FIXTURE(metered_lane, "a request that cannot be read counts as refused") {
  send("POST /v1/x HTTP/1.1\r\n\r\n");
  CHECK(gets("400"));
  CHECK(counted("pypto_router_refusals_total{reason=\"bad_request\"}", 1));
  CHECK(value(turns("other", "4xx", "")) == 1);
}

TEST_CASE_FIXTURE(metered_lane, "a turn that goes on to another replica counts as a failover") {
  show("replica2");
  {
    tcp_acceptor silent(lane.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    port->send_to(silent.local_endpoint().port());
  }
  upstream_that(whole, end::keep);
  send(chat_turn);
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(counted("pypto_router_failovers_total{replica=\"replica1\"}", 1));
  CHECK(value("pypto_router_upstream_failures_total{replica=\"replica1\",kind=\"connect\"}") == 1);
  CHECK(value(turns("chat_completions", "2xx", "replica2")) == 1);
  CHECK(value(turns("chat_completions", "2xx", "replica1")) == 0);
}

TEST_CASE_FIXTURE(metered_lane, "a replica that breaks off counts as failed and truncated") {
  upstream_that(begun, end::fin);
  send(chat_turn);
  CHECK(run_until([&] { return !!client_end; }));
  CHECK(counted("pypto_router_truncations_total{replica=\"replica1\"}", 1));
  CHECK(value("pypto_router_upstream_failures_total{replica=\"replica1\",kind=\"broke_off\"}") ==
        1);
  CHECK(value(turns("chat_completions", "2xx", "replica1")) == 1);
}

TEST_CASE_FIXTURE(metered_lane, "failures without an answer count by kind") {
  upstream_that("", end::fin);
  send(chat_turn);
  CHECK(gets("replica_failed"));
  CHECK(
      counted("pypto_router_upstream_failures_total{replica=\"replica1\",kind=\"no_answer\"}", 1));
  CHECK(value("pypto_router_refusals_total{reason=\"replica_failed\"}") == 1);
  CHECK(value("pypto_router_truncations_total{replica=\"replica1\"}") == 0);
  CHECK(value(turns("chat_completions", "5xx", "replica1")) == 1);
  show("replica2");
  upstream_that("SSH-2.0-OpenSSH\r\n\r\n", end::keep);
  send(chat_turn);
  CHECK(gets("bad_replica_response"));
  CHECK(
      counted("pypto_router_upstream_failures_total{replica=\"replica2\",kind=\"bad_answer\"}", 1));
}

TEST_CASE_FIXTURE(metered_lane, "a turn over its time counts as a timeout of its replica") {
  settings.request_timeout = std::chrono::milliseconds(100);
  upstream_that("", end::keep);
  send(chat_turn);
  CHECK(gets("504"));
  CHECK(counted("pypto_router_upstream_failures_total{replica=\"replica1\",kind=\"timeout\"}", 1));
}

TEST_CASE_FIXTURE(metered_lane, "a client that leaves counts as gone, and got no status") {
  auto& replica = upstream_that("", end::keep);
  send(chat_turn);
  CHECK(run_until([&] { return !replica.seen.empty(); }));
  client.close();
  CHECK(counted("pypto_router_client_aborts_total{replica=\"replica1\"}", 1));
  CHECK(value(turns("chat_completions", "none", "replica1")) == 1);
}

TEST_CASE_FIXTURE(metered_lane,
                  "the gaps of a streamed answer are measured, one less than pieces") {
  upstream_that(begun + "3\r\ntwo\r\n0\r\n\r\n", end::keep);
  send(chat_turn);
  CHECK(gets("0\r\n\r\n"));
  CHECK(counted("pypto_router_turn_seconds_count{replica=\"replica1\"}", 1));
  // Both pieces may have come in one read.
  CHECK(value("pypto_router_piece_gap_seconds_count{replica=\"replica1\"}") <= 1);
  CHECK(value("pypto_router_piece_gap_seconds_count{replica=\"replica1\"}") >= 0);
}

TEST_CASE_FIXTURE(metered_lane, "the series of a replica go with it") {
  upstream_that(whole, end::keep);
  send(chat_turn);
  CHECK(gets("\r\n\r\nwhol"));
  CHECK(scrape().find("replica1") != std::string::npos);
  port->seen.replicas.clear();
  CHECK(scrape().find("replica1") == std::string::npos);
  // The lane still has a connection to it; a name that comes back counts on.
  show("replica1");
  CHECK(value(turns("chat_completions", "2xx", "replica1")) == 1);
}

TEST_CASE("a route is known by its path, whatever its query") {
  const auto route = [](std::string_view target) { return turn_routes[turn_route(target)]; };
  CHECK(route("/v1/chat/completions") == "chat_completions");
  CHECK(route("/v1/completions?a=/v1/models") == "completions");
  CHECK(route("/v1/embeddings#x") == "embeddings");
  CHECK(route("/v1/models") == "models");
  for (const auto* other : {"/v1/models/x", "/v1/modelsx", "/v1/", "/v1", "", "/completions",
                            "/v1/Models", "/v1//models"}) {
    CAPTURE(other);
    CHECK(route(other) == "other");
  }
}

TEST_CASE("counts that nobody holds any more are forgotten") {
  lane_meter meter;
  const auto held = meter.of("held");
  (void)meter.of("free");
  (void)meter.of("shown");
  meter.forget_unless([](const std::string& name) { return name == "shown"; });
  CHECK(meter.find("held") == held);
  CHECK(meter.find("free") == nullptr);
  CHECK(meter.find("shown") != nullptr);
}

TEST_CASE_FIXTURE(metered_lane, "a replica's phase is 1 in one of four series") {
  port->seen.replicas[0].now = phase::failed;
  port->seen.replicas[0].outstanding = 3;
  CHECK(value("pypto_router_replica_phase{replica=\"replica1\",phase=\"failed\"}") == 1);
  CHECK(value("pypto_router_replica_phase{replica=\"replica1\",phase=\"ready\"}") == 0);
  CHECK(value("pypto_router_outstanding_turns{replica=\"replica1\"}") == 3);
}

TEST_CASE_FIXTURE(metered_lane, "two instances of one name give one series") {
  show("replica1");
  const auto text = scrape();
  const std::string series = "\npypto_router_outstanding_turns{replica=\"replica1\"} ";
  CHECK(text.find(series) != std::string::npos);
  CHECK(text.find(series) == text.rfind(series));
}

TEST_CASE_FIXTURE(metered_lane, "slots count by stage") {
  port->pool.slots = {{.now = slot_stage::serving}, {.now = slot_stage::serving}};
  port->pool.capacity.unconfirmed = {{.slot = "a"}};
  CHECK(value("pypto_router_slots{stage=\"serving\"}") == 2);
  CHECK(value("pypto_router_slots{stage=\"free\"}") == 0);
  CHECK(value("pypto_router_unconfirmed_slots") == 1);
}

TEST_CASE_FIXTURE(metered_lane, "connections and the process are measured") {
  CHECK(value("pypto_router_client_connections") == 2);
  CHECK(value("pypto_router_lane_busy_seconds_total{lane=\"0\"}") > 0);
  CHECK(value("process_open_fds") > 3);
  CHECK(value("process_resident_memory_bytes") > 1e6);
  CHECK(value("process_start_time_seconds") > 1.6e9);
}

TEST_CASE_FIXTURE(metered_lane, "the metrics need the admin token, unless they are open") {
  settings.admin_token = "secret";
  CHECK(scrape().starts_with("HTTP/1.1 401 "));
  CHECK(scrape("Authorization: Bearer secret\r\n").starts_with("HTTP/1.1 200 "));
  settings.metrics_open = true;
  CHECK(scrape().starts_with("HTTP/1.1 200 "));
}

TEST_CASE_FIXTURE(metered_lane, "who asks for OpenMetrics gets it") {
  CHECK(scrape().find("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n") !=
        std::string::npos);
  const auto open = scrape("Accept: application/openmetrics-text;version=1.0.0\r\n");
  CHECK(open.find("\r\nContent-Type: application/openmetrics-text; version=1.0.0; "
                  "charset=utf-8\r\n") != std::string::npos);
  CHECK(open.ends_with("# EOF\n"));
}

TEST_CASE_FIXTURE(metered_lane, "the metrics take GET and HEAD") {
  send("POST /metrics HTTP/1.1\r\nHost: r\r\nContent-Length: 0\r\n\r\n");
  CHECK(gets("405"));
  CHECK(gets("Allow: GET, HEAD"));
}
