// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

// A replica that speaks TLS under this name, and a fleet file entry with these further keys.
struct tls_replica {
  explicit tls_replica(const std::string& alternative_name)
      : identity{std::make_shared<tls_identity>(alternative_name)},
        replica{"u", stream_of(2, 10ms), identity} {}

  std::string fleet(const std::string& keys, const std::string& host = "127.0.0.1") const {
    return R"({"replicas":[{"name":"u","scheme":"https","host":")" + host + R"(","port":)" +
           std::to_string(replica.port()) + keys + "}]}";
  }
  std::string trusted() const { return R"(,"ca_file":")" + identity->certificate_file() + "\""; }

  std::shared_ptr<tls_identity> identity;
  scripted_replica replica;
};

// Nothing but broken handshakes for several rounds of probes.
void stays_out(router_process& r) {
  CHECK(throughout(1s, [&] { return !health(r.port()).at("u").ready; }));
  CHECK(exchange_once(r.port(), chat()).status() == 503);
}

}  // namespace

TEST_CASE("a replica behind https is verified against its ca_file and served") {
  tls_replica u{"IP:127.0.0.1"};
  ready_router r{u.fleet(u.trusted())};
  CHECK(health(r.port()).at("u").url == "https://127.0.0.1:" + std::to_string(u.replica.port()));
  for (int i = 0; i < 3; ++i) {
    const auto answer = exchange_once(r.port(), chat(R"({"stream":true})", session("s")));
    CHECK(answer.complete());
    CHECK(answer.body == event_text(0) + event_text(1) + done_text);
  }
  CHECK(u.replica.last_request().body == R"({"stream":true})");
  CHECK(r.log().find("insecure_skip_verify") == std::string::npos);
}

TEST_CASE("a certificate for another name is refused") {
  tls_replica u{"DNS:elsewhere.test,IP:127.0.0.2"};
  router_process r{u.fleet(u.trusted())};
  stays_out(r);
}

TEST_CASE("a certificate that no CA vouches for is refused") {
  tls_replica u{"IP:127.0.0.1"};
  const tls_identity other{"IP:127.0.0.1"};
  for (const auto& keys : {std::string{}, R"(,"ca_file":")" + other.certificate_file() + "\""}) {
    router_process r{u.fleet(keys)};
    stays_out(r);
  }
}

TEST_CASE("insecure_skip_verify accepts any certificate and is warned about") {
  tls_replica u{"DNS:elsewhere.test"};
  ready_router r{u.fleet(R"(,"insecure_skip_verify":true)")};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(r.logged("warn"));
  CHECK((r.logged("insecure_skip_verify") || r.logged("verif")));
}

TEST_CASE("a host name is resolved and sent as SNI and verified") {
  tls_replica u{"DNS:localhost"};
  ready_router r{u.fleet(u.trusted(), "localhost")};
  CHECK(exchange_once(r.port(), chat()).status() == 200);
  CHECK(u.replica.last_request().get("Host") == "localhost:" + std::to_string(u.replica.port()));
}

TEST_CASE("a client that leaves a turn behind https cancels it at the replica") {
  tls_replica u{"IP:127.0.0.1"};
  u.replica.on_request([](replica_turn& turn) {
    turn.read_body();
    turn.send(std::string{stream_head} + event(0));
    turn.wait_closed(1h);
  });
  ready_router r{u.fleet(u.trusted())};
  raw_client client{r.port()};
  client.send(chat());
  REQUIRE(client.wait_for("{\"i\":0}"));
  client.rst();
  CHECK(eventually([&] { return u.replica.open_connections() == 0; }, 5s));
  CHECK(becomes_idle(r.port()));
}

TEST_CASE("a large upload and a large answer pass behind https") {
  tls_replica u{"IP:127.0.0.1"};
  const std::string answer_body(8UL << 20, 'b');
  u.replica.on_request(answer_with(response("200 OK", answer_body)));
  ready_router r{u.fleet(u.trusted())};
  const std::string body(8UL << 20, 'a');
  const auto answer = exchange_once(r.port(), chat(body), "POST", 30s);
  CHECK((answer.body == answer_body));
  CHECK((u.replica.last_request().body == body));
}

TEST_CASE("D06 an answer behind https that comes before the upload was read is relayed") {
  tls_replica u{"IP:127.0.0.1"};
  ready_router r{u.fleet(u.trusted())};
  for (const bool resets : {false, true}) {
    CAPTURE(resets);
    u.replica.on_request([resets](replica_turn& turn) {
      turn.send(response("413 Content Too Large", "too much"));
      if (resets) {
        turn.pause(200ms);
        turn.rst();
      } else {
        turn.wait_closed(1h);
      }
    });
    const auto answer = exchange_once(r.port(), chat(std::string(8UL << 20, 'a')), "POST", 30s);
    CHECK(answer.status() == 413);
    CHECK(answer.body == "too much");
    CHECK(answer.complete());
    CHECK(becomes_idle(r.port()));
  }
}

TEST_CASE("a stream behind https that is cut without a TLS end cuts the client's stream") {
  tls_replica u{"IP:127.0.0.1"};
  u.replica.on_request([](replica_turn& turn) {
    turn.read_body();
    turn.send("HTTP/1.1 200 OK\r\n\r\nhalf of");
    turn.pause(200ms);
    turn.rst();
  });
  ready_router r{u.fleet(u.trusted())};
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 200);
  CHECK((answer.end == body_end::cut || answer.end == body_end::reset));
}

TEST_CASE("a replica that accepts and never shakes hands costs a turn its connect timeout") {
  tls_replica u{"IP:127.0.0.1"};
  ready_router r{u.fleet(u.trusted()), {"--connect-timeout", "1", "--health-interval", "30"}};
  u.replica.go_away();
  // The kernel accepts, and nobody says a word.
  const auto mute = listen_on("127.0.0.1", u.replica.port());
  const auto start = clock::now();
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 502);
  CHECK(router_error(answer.body).code == "connect_failed");
  CHECK(clock::now() - start > 800ms);
  CHECK(clock::now() - start < 5s);
}

TEST_CASE("a certificate that turns bad is a 502 and nothing is sent") {
  tls_replica u{"IP:127.0.0.1"};
  ready_router r{u.fleet(u.trusted()), {"--health-interval", "30"}};
  u.replica.go_away();
  scripted_replica impostor{"x", answer_ok, std::make_shared<tls_identity>("IP:127.0.0.1"),
                            "127.0.0.1", u.replica.port()};
  const auto answer = exchange_once(r.port(), chat());
  CHECK(answer.status() == 502);
  CHECK(router_error(answer.body).code == "connect_failed");
  CHECK(impostor.request_count() == 0);
}
