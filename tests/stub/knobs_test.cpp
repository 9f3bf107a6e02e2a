// SPDX-License-Identifier: MIT
#include "http_client.hpp"
#include "stub_process.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

const std::string prompt = R"({"prompt":"x"})";
const std::string streamed = R"({"prompt":"x","stream":true})";

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

std::string stats(std::uint16_t port) {
  return http_client(port).get("/stub/stats").body;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("knobs come from the environment and a flag overrules it") {
  stub_process stub({"--name", "flag"}, {"STUB_NAME=env", "STUB_TOKENS=2", "STUB_TOKEN_DELAY_MS=0",
                                         "STUB_UNKNOWN=1", "STUB_HANG_PREFILL=0"});
  http_client client(stub.port());
  CHECK(has(client.post("/v1/completions", prompt).body, "\"replica flag:\""));
}

TEST_CASE("an impossible knob is refused with exit 2") {
  CHECK(stub_process({"--tokens", "-1"}).exit_status() == 2);
  CHECK(stub_process({"--token-delay-ms", "soon"}).exit_status() == 2);
  CHECK(stub_process({}, {"STUB_TOKENS=many"}).exit_status() == 2);
}

TEST_CASE("the first turns are refused with the wanted status, the next ones answered") {
  CHECK(stub_process({"--refuse-status", "200"}).exit_status() == 2);
  stub_process stub({"--refuse-turns", "2", "--refuse-status", "429", "--token-delay-ms", "0"});
  http_client client(stub.port());
  for (int i = 0; i < 2; ++i) {
    const auto refused = client.post("/v1/completions", prompt);
    CHECK(refused.status == 429);
    CHECK(refused.header("Retry-After") == "1");
    CHECK(has(refused.body, "\"code\":\"refused\""));
  }
  CHECK(client.post("/v1/completions", prompt).status == 200);
  CHECK(has(stats(stub.port()), "\"requests\":1"));
}

TEST_CASE("a port in use is exit 1") {
  stub_process first({});
  const auto taken = std::to_string(first.port());
  stub_process second({"--port=" + taken});
  CHECK(second.exit_status() == 1);
}

TEST_CASE("an exit code asked for is given instead of binding") {
  CHECK(stub_process({"--exit-code", "7"}).exit_status() == 7);
}

TEST_CASE("/health turns 503 while the unhealthy file exists") {
  const auto file =
      std::filesystem::temp_directory_path() / ("stub_unhealthy_" + std::to_string(::getpid()));
  stub_process stub({"--unhealthy-file", file.string()});
  http_client client(stub.port());
  CHECK(client.get("/health").status == 200);
  std::ofstream(file).put('x');
  CHECK(client.get("/health").status == 503);
  std::filesystem::remove(file);
  CHECK(client.get("/health").status == 200);
}

TEST_CASE("/health turns 503 for good after the given seconds") {
  stub_process stub({"--unhealthy-after", "0.05"});
  const auto port = stub.port();
  CHECK(eventually([port] { return http_client(port).get("/health").status == 503; }));
  CHECK(has(http_client(port).post("/v1/completions", prompt).body, "replica"));
}

TEST_CASE("it dies after the given number of answers") {
  stub_process stub({"--token-delay-ms", "0", "--die-after-requests", "2", "--die-code", "9"});
  http_client client(stub.port());
  CHECK(client.post("/v1/completions", prompt).status == 200);
  CHECK(client.post("/v1/completions", prompt).status == 200);
  CHECK(stub.exit_status() == 9);
}

TEST_CASE("it dies after the given seconds, also in the middle of a stream") {
  stub_process stub({"--tokens", "100000", "--die-after-seconds", "0.3"});
  http_client client(stub.port());
  CHECK_FALSE(client.post("/v1/completions", streamed).complete);
  CHECK(stub.exit_status() == 1);
}

TEST_CASE("a stream cut after N tokens has no clean end") {
  stub_process stub({"--token-delay-ms", "0", "--fail-after-tokens", "2"});
  const auto cut = http_client(stub.port()).post("/v1/completions", streamed);
  CHECK(cut.status == 200);
  CHECK(has(cut.body, "\"replica\""));
  CHECK_FALSE(has(cut.body, "[DONE]"));
  CHECK_FALSE(cut.complete);
  CHECK(http_client(stub.port()).post("/v1/completions", prompt).status == 0);
  CHECK(has(stats(stub.port()), "\"cancelled\":0"));
}

TEST_CASE("a turn that hangs in prefill ends when its client leaves, and counts as cancelled") {
  stub_process stub({"--hang-prefill"});
  {
    http_client client(stub.port());
    client.begin_post("/v1/completions", streamed);
    CHECK(eventually([&] { return has(stats(stub.port()), "\"active\":1"); }));
  }
  CHECK(eventually([&] { return has(stats(stub.port()), "\"cancelled\":1"); }));
  CHECK(has(stats(stub.port()), "\"active\":0"));
}

TEST_CASE("a client that leaves in the middle of a stream cancels it") {
  stub_process stub({"--tokens", "100000"});
  {
    http_client client(stub.port());
    client.begin_post("/v1/completions", streamed);
    CHECK(client.read_until("replica"));
  }
  CHECK(eventually([&] { return has(stats(stub.port()), "\"cancelled\":1"); }));
}

TEST_CASE("a pipelined request is no hang-up and is answered second") {
  stub_process stub({"--tokens", "3"});
  http_client client(stub.port());
  client.begin_post("/v1/completions", streamed);
  client.begin_post("/v1/completions", prompt);
  CHECK(client.read_answer().complete);
  CHECK(client.read_answer().header("Content-Type") == "application/json");
}

TEST_CASE("an idle connection is closed after the keep-alive time") {
  stub_process stub({"--keep-alive-seconds", "0.2"});
  http_client client(stub.port());
  CHECK(client.get("/health").status == 200);
  CHECK(client.closed_within(5s));
}

TEST_CASE("SIGTERM closes idle connections, finishes the running turn, and exits 0") {
  stub_process stub({"--tokens", "40"});
  http_client idle(stub.port());
  http_client busy(stub.port());
  CHECK(idle.get("/health").status == 200);
  busy.begin_post("/v1/completions", streamed);
  CHECK(busy.read_until("replica"));
  stub.signal(SIGTERM);
  CHECK(idle.closed_within(5s));
  CHECK_FALSE(http_client(stub.port()).connected());
  const auto answer = busy.read_answer();
  CHECK(answer.complete);
  CHECK(has(answer.body, "[DONE]"));
  CHECK(stub.exit_status() == 0);
}

TEST_CASE("SIGTERM without effect still leaves SIGINT") {
  stub_process stub({"--ignore-sigterm"});
  const auto port = stub.port();
  stub.signal(SIGTERM);
  CHECK(http_client(port).get("/health").status == 200);
  stub.signal(SIGINT);
  CHECK(stub.exit_status() == 0);
}

TEST_CASE("a loading replica refuses connections, can be stopped, and serves once loaded") {
  stub_process before({});
  const auto port = before.port();
  before.signal(SIGTERM);
  CHECK(before.exit_status() == 0);

  stub_process loading({"--load-seconds", "60", "--port", std::to_string(port)});
  CHECK_FALSE(loading.line_with("loading").empty());
  CHECK_FALSE(http_client(port).connected());
  loading.signal(SIGTERM);
  CHECK(loading.exit_status() == 0);
  stub_process loaded({"--load-seconds", "0.3"});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(loaded.port() != 0);
  CHECK(std::chrono::steady_clock::now() - begin >= 200ms);
  CHECK(http_client(loaded.port()).get("/health").status == 200);
}

TEST_CASE("echoed answers repeat the last word of the prompt with each token's number") {
  stub_process stub({"--echo", "--tokens", "4", "--token-delay-ms", "0", "--name", "n"});
  http_client client(stub.port());
  CHECK(has(client.post("/v1/completions", R"({"prompt":"say mark-7"})").body,
            R"("replica n: mark-7.2 mark-7.3")"));
}

TEST_CASE("while the fault file exists turns end as it says") {
  const auto file =
      std::filesystem::temp_directory_path() / ("stub_fault_" + std::to_string(::getpid()));
  stub_process stub({"--fault-file", file.string(), "--token-delay-ms", "0"});
  for (const auto& body : {prompt, streamed}) {
    CHECK(http_client(stub.port()).post("/v1/completions", body).complete);
    std::ofstream(file) << "cut";
    const auto cut = http_client(stub.port()).post("/v1/completions", body);
    CHECK(cut.status == 200);
    CHECK_FALSE(cut.complete);
    std::ofstream(file) << "garbage";
    CHECK(http_client(stub.port()).post("/v1/completions", body).status == 0);
    std::filesystem::remove(file);
  }
  CHECK(has(stats(stub.port()), "\"cancelled\":0"));
  std::ofstream(file) << "die";
  CHECK_FALSE(http_client(stub.port()).post("/v1/completions", streamed).complete);
  CHECK(stub.exit_status() == 1);
  std::filesystem::remove(file);
}
