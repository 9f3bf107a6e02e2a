// SPDX-License-Identifier: MIT
// fleetctl against the router: every command and every exit status.
#include "system/support/fleetctl_run.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

using namespace fleet::rig;

TEST_CASE("fleetctl adds replicas, shows them, scales and removes them") {
  ctl_pool p({.args = {"--tokens", "20", "--token-delay-ms", "100"}}, {"--initial-replicas", "0"});
  CHECK(p.ctl({"health"}).status == 1);
  CHECK(p.ctl({"health"}).output == "no_replicas\n");
  const auto nobody = p.ctl({"status"});
  CHECK(nobody.status == 0);
  CHECK(nobody.has("fleetctl add --wait"));

  const auto added = p.ctl({"add", "--wait"});
  CHECK(added.status == 0);
  CHECK(added.has("n-d0  starting\n"));
  CHECK(added.has("n-d0  ready  after "));
  CHECK(p.ctl({"add", "n-d1", "-o", "name"}).output == "n-d1\n");
  REQUIRE(launched_ready(p.port(), "n-d1"));
  CHECK(p.ctl({"replicas", "-o", "name"}).output == "n-d0\nn-d1\n");
  CHECK(p.ctl({"replicas"}).has("n-d0     ready"));
  CHECK(p.ctl({"replicas", "-o", "wide"}).has("/n-d0.log"));
  CHECK(p.ctl({"replicas", "-o", "json"}).output.starts_with(R"({"replicas":[)"));
  CHECK(p.ctl({"slots", "-o", "name"}).output == "n-d0\nn-d1\n");
  CHECK(p.ctl({"slots"}).has("serving"));
  CHECK(p.ctl({"status"}).has("nothing needs a human"));
  CHECK(p.ctl({"status", "-o", "json"}).output.starts_with(R"({"health":{)"));
  CHECK(p.ctl({"health", "-o", "json"}).status == 0);
  CHECK(p.ctl({"version"}).has("\nrouter "));
  CHECK(p.ctl({"logs", "n-d0"}).output == text_of_file(p.log_path("n-d0")));

  const auto full = p.ctl({"add"});
  CHECK(full.status == 1);
  CHECK(full.complains("no slot is free; `fleetctl slots`"));
  CHECK(p.ctl({"add", "nope"}).status == 1);
  CHECK(p.ctl({"scale", "3"}).status == 1);
  CHECK(p.ctl({"scale", "2"}).output == "nothing to do: the router runs 2\n");

  raw_client stream{p.port()};
  stream.send(chat(R"({"messages":[],"stream":true})"));
  const auto busy = stream.read_response_head().get("X-Replica");
  // The stream stands still until its removal was seen to wait for it.
  const auto holder = stubs_on(p.host().port(busy == "n-d0" ? 0 : 1)).at(0);
  ::kill(holder, SIGSTOP);
  const auto scaled = p.ctl({"scale", "1", "--wait"});
  CHECK(scaled.status == 0);
  CHECK(scaled.output.starts_with(busy == "n-d0" ? "n-d1  " : "n-d0  "));
  child_process remove{{.argv = p.words({"remove", busy})}};
  const auto told = [&](const std::string& text) {
    return remove.output_text().find(busy + text) != std::string::npos;
  };
  CHECK(eventually([&] { return told("  draining  1 request left\n"); }));
  CHECK(remove.running());
  ::kill(holder, SIGCONT);
  CHECK(remove.wait_exit() == 0);
  remove.drain();
  CHECK(told("  removed  after "));
  CHECK(stream.wait_for("[DONE]"));
  CHECK(p.ctl({"remove", busy}).complains("no replica"));
  CHECK(p.ctl({"scale", "1"}).status == 0);
  CHECK(p.ctl({"remove", "n-d0", "--no-wait"}).status == 0);
}

TEST_CASE("scale --wait also waits for what an earlier command has begun") {
  ctl_pool p({.args = {"--load-seconds", "1", "--tokens", "30", "--token-delay-ms", "50"}},
             {"--initial-replicas", "0"});
  CHECK(p.ctl({"scale", "1"}).has("n-d0  starting"));
  CHECK(p.ctl({"scale", "1", "--wait"}).has("n-d0  ready"));
  raw_client stream{p.port()};
  stream.send(chat(R"({"messages":[],"stream":true})"));
  REQUIRE(stream.read_response_head().status() == 200);
  CHECK(p.ctl({"scale", "0"}).has("n-d0  draining"));
  CHECK(admin(p.port(), "GET", "/slots").body.find(R"("drain_left":)") != std::string::npos);
  CHECK(p.ctl({"scale", "0", "--wait"}).has("n-d0  removed"));
  CHECK(p.ctl({"scale", "0", "--wait"}).output == "nothing to do: the router runs 0\n");
}

TEST_CASE("--timeout ends a command whose router is mute, exit 4") {
  scripted_replica mute{"m", [](replica_turn& turn) { turn.wait_closed(30s); }};
  for (const auto* word : {"replicas", "slots", "version"}) {
    const auto late = run_ctl({word, "--router", at_port(mute.port()), "--timeout", "0.3"});
    CAPTURE(late.errors);
    CHECK(late.status == 4);
    CHECK(late.complains("within --timeout"));
  }
}

TEST_CASE("output that cannot be written is an error") {
  child_process run{{.argv = {"sh", "-c", ctl_program() + " completion bash >/dev/full"}}};
  CHECK(run.wait_exit() == 1);
  run.drain();
  CHECK(run.error_text() == "fleetctl: cannot write the output: No space left on device\n");
}

TEST_CASE("add --wait ends with the reason when the launch fails, exit 1") {
  ctl_pool p({.args = {"--exit-code", "3"}}, {"--initial-replicas", "0"});
  const auto failed = p.ctl({"add", "--wait"});
  CHECK(failed.status == 1);
  CHECK(failed.complains("exit status 3"));
  CHECK(p.ctl({"logs", "nope"}).complains("there is no slot nope"));
}

TEST_CASE("--timeout ends a wait with exit 4, the launch goes on") {
  ctl_pool p({.args = {"--load-seconds", "60"}}, {"--initial-replicas", "0"});
  const auto late = p.ctl({"add", "--wait", "--timeout", "0.4"});
  CHECK(late.status == 4);
  CHECK(late.complains("n-d0  starting"));
  CHECK(p.ctl({"slots"}).has("loading"));
  std::ofstream(p.log_path("n-d0"), std::ios::app) << "shard \x1b[31m3 of 8\n";
  const auto one = admin(p.port(), "GET", "/replicas/n-d0").body;
  CHECK(one.find(R"("launch":{"stage":"loading","seconds":)") != std::string::npos);
  CHECK(one.find(R"("log_line":"shard ?[31m3 of 8")") != std::string::npos);

  child_process follow{{.argv = p.words({"logs", "n-d0", "-f", "--tail", "1"})}};
  CHECK(eventually([&] { return follow.output_text() == "shard ?[31m3 of 8\n"; }));
  std::ofstream(p.log_path("n-d0"), std::ios::app) << "shard 4 of 8\n";
  CHECK(eventually([&] { return follow.output_text() == "shard ?[31m3 of 8\nshard 4 of 8\n"; }));

  raw_client stream{p.port()};
  stream.send("GET /slots/n-d0/log?tail=1&follow=1 HTTP/1.1\r\nHost: r\r\n\r\n");
  CHECK(stream.wait_for("shard 4 of 8\n"));
  std::ofstream(p.log_path("n-d0"), std::ios::app) << "shard 5 of 8\n";
  CHECK(stream.wait_for("d\r\nshard 5 of 8\n\r\n"));
}

TEST_CASE("release shows what is known and wants to be sure") {
  ctl_pool p({.more = R"(,"stop_command":["false"])"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  const auto stuck = p.ctl({"remove", "n-d0"});
  CHECK(stuck.status == 1);
  CHECK(stuck.complains("`fleetctl release n-d0`"));
  CHECK(p.ctl({"status"}).has("look at its machine, then: fleetctl release n-d0\n"));
  const auto asked = p.ctl({"release", "n-d0"});
  CHECK(asked.status == 2);
  CHECK(asked.complains("n-d0 is unconfirmed: stop-unconfirmed"));
  CHECK(asked.complains("--yes"));
  CHECK(p.ctl({"slots"}).has("unconfirmed"));
  CHECK(p.ctl({"release", "n-d0", "--yes"}).output == "n-d0  released\n");
  CHECK(p.ctl({"release", "n-d0", "--yes"}).status == 1);
}

TEST_CASE("what is no router, or cannot be reached, is exit 3 with what to try") {
  const auto nobody = run_ctl({"status", "--router", "127.0.0.1:1"});
  CHECK(nobody.status == 3);
  CHECK(nobody.complains("cannot reach http://127.0.0.1:1: Connection refused"));
  scripted_replica stranger;
  const auto other = run_ctl({"replicas"}, {{"FLEETCTL_ROUTER", at_port(stranger.port())}});
  CHECK(other.status == 3);
  CHECK(other.complains("does not answer like a router"));
  CHECK(run_ctl({"nonsense"}).status == 2);
}

TEST_CASE("the admin token is asked for, used, and never shown") {
  ctl_pool p({}, {"--initial-replicas", "0", "--admin-token", "s3cret"});
  const temp_dir dir;
  const auto closed = p.ctl({"slots"});
  CHECK(closed.status == 1);
  CHECK(closed.complains("--token-file"));
  CHECK(p.ctl({"slots", "--token-file", dir.write("token", "s3cret\n")}).status == 0);
  CHECK(p.ctl({"slots", "--token", "s3cret"}).status == 0);
  const auto wrong = p.ctl({"slots", "--token", "s3cret2"});
  CHECK(wrong.status == 1);
  CHECK(!wrong.complains("s3cret"));
}

TEST_CASE("https is verified, with --ca-file, unless told not to") {
  const auto identity = std::make_shared<tls_identity>("IP:127.0.0.1");
  scripted_replica gate("gate", {}, identity);
  gate.on_health(answer_with(response("200 OK", R"({"status":"ok"})")));
  const auto url = "https://127.0.0.1:" + std::to_string(gate.port());
  const auto unknown = run_ctl({"health", "--router", url});
  CHECK(unknown.status == 3);
  CHECK(unknown.complains("--ca-file"));
  CHECK(run_ctl({"health", "--router", url, "--ca-file", identity->certificate_file()}).output ==
        "ok\n");
  CHECK(run_ctl({"health", "--router", url, "--insecure-skip-verify"}).status == 0);
}

TEST_CASE("check validates a fleet file as the router does") {
  const temp_dir dir;
  const auto good = dir.write("good.json", fleet_of(stub_host{.log_dir = "/tmp"}));
  CHECK(run_ctl({"check", good}).output == run_router({"--replicas", good, "--check"}).output);
  const auto bad = dir.write("bad.json", R"({"hosts":[{}]})");
  const auto refused = run_ctl({"check", bad});
  CHECK(refused.status == 1);
  CHECK(refused.complains("hosts[0]"));
}

TEST_CASE("bash completes commands, options and the names that the router knows") {
  ctl_pool p({}, {"--initial-replicas", "0"});
  const temp_dir dir;
  const auto script = dir.write("completion", run_ctl({"completion", "bash"}).output);
  const auto complete = [&](const std::string& typed) {
    const std::string line = "PATH=" + ctl_folder() + ":$PATH; source " + script + "; COMP_LINE='" +
                             typed + "'; COMP_POINT=${#COMP_LINE}" + "; COMP_WORDS=(" + typed +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fleetctl; "
                             "echo \"${COMPREPLY[*]}\"";
    child_process bash{
        {.argv = {"bash", "-c", line}, .env = {{"FLEETCTL_ROUTER", at_port(p.port())}}}};
    CHECK(bash.wait_exit() == 0);
    bash.drain();
    return bash.output_text();
  };
  CHECK(complete("fleetctl st") == "status\n");
  CHECK(complete("fleetctl add --w") == "--wait\n");
  CHECK(complete("fleetctl -o w") == "wide\n");
  CHECK(complete("fleetctl release n") == "n-d0 n-d1\n");
  CHECK(complete("fleetctl --router " + at_port(p.port()) + " release n") == "n-d0 n-d1\n");
}
