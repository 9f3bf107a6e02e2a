// SPDX-License-Identifier: MIT
#include "launch/support/commander_rig.hpp"
#include "launch/support/real_sshd.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace fleet;
using namespace fleet::rig;

namespace {

bool no_server() {
  const auto why = real_sshd::missing();
  if (!why.empty())
    MESSAGE("skipped: ", why);
  return !why.empty();
}

host_spec on(const real_sshd& server, host_spec host) {
  host.ssh = server.destination();
  host.identity_file = server.key();
  return host;
}

}  // namespace

TEST_CASE("over a real sshd: launched, seen, stopped, by ssh://user@host:port and by an alias") {
  if (no_server())
    return;
  real_sshd server;
  commander_rig rig;
  const auto script = "echo up; (trap '' TERM; exec sleep 501) & exec sleep 500";
  auto by_alias = rig.host(script);
  by_alias.ssh = real_sshd::alias();
  for (const auto& host : {on(server, rig.host(script)), by_alias}) {
    const auto process = rig.started(rig.order(host));
    REQUIRE(in_time([&] { return rig.log(host).size() > process.log_begin; }));
    const auto running = rig.inspect(host, process);
    CHECK(running.alive);
    CHECK(running.log == "up\n");
    CHECK(members_of(process.process_group).size() >= 2);
    CHECK(rig.stop(host, process, 500ms).stopped);
    CHECK(members_of(process.process_group).empty());
    const auto look = rig.inspect(host, process);
    CHECK(look.known);
    CHECK_FALSE(look.alive);
  }
}

TEST_CASE("over a real sshd: the launch returns at once and the replica outlives the connection") {
  if (no_server())
    return;
  real_sshd server;
  commander_rig rig;
  const auto host = on(server, rig.host("echo $$ >\"$2/pid\"; exec sleep 500"));
  const auto begin = rig::clock::now();
  const auto process = rig.started(rig.order(host));
  CHECK(rig::clock::now() - begin < 40s);
  const auto replica = rig.pid_in("pid");
  server.cut();
  CHECK(throughout(300ms, [&] { return alive(replica); }));
  CHECK(rig.stop(host, process).stopped);
}

TEST_CASE(
    "over a real sshd: arguments, environment and a wrapper's one argument arrive unchanged") {
  if (no_server())
    return;
  const std::vector<std::string> odd = {
      "a b",      "it's", "\"x\"", "$HOME", "`id`", "", "a\nb", "\\", "*", R"({"a": [1, "c d"]})",
      "\xc3\xa9", "-n"};
  constexpr auto dump =
      R"(out=$1/words; shift; for word; do printf '%s\000' "$word"; done >"$out.new"; mv "$out.new" "$out")";
  for (const bool wrapped : {false, true}) {
    real_sshd server;
    commander_rig rig;
    auto host = on(server, rig.host(""));
    host.serve_command = {"sh", "-c", dump, "{model}", rig.dir.path()};
    host.serve_args = odd;
    if (wrapped)
      host.launch_wrapper = {"sh", "-c", R"([ $# = 1 ] && eval "exec $1")", "wrapper"};
    rig.started(rig.order(host));
    const auto path = rig.dir.path() + "/words";
    REQUIRE(in_time([&] { return std::filesystem::exists(path); }));
    CHECK(nul_words(read_file(path)) == odd);
  }
}

TEST_CASE("over a real sshd: an early end is told with its status") {
  if (no_server())
    return;
  real_sshd server;
  commander_rig rig;
  const auto host = on(server, rig.host("echo no device >&2; exit 3"));
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.inspect(host, process).ended; }));
  CHECK(rig.inspect(host, process).how == exit_status{.code = 3});
  CHECK(rig.inspect(host, process).log == "no device\n");
}

TEST_CASE("over a real sshd: a lost connection and a refused key are failures, never 'gone'") {
  if (no_server())
    return;
  real_sshd server;
  commander_rig rig;
  auto host =
      on(server, rig.host("echo $$ >\"$2/pid\"; trap '' TERM; while :; do sleep 0.1; done"));
  const auto process = rig.started(rig.order(host));
  const auto replica = rig.pid_in("pid");
  answer<stop_result> result;
  rig.commander().stop({host, rig.slot(host), process, 30s}, result.callback());
  // The stop script runs: its shell carries the instance in its arguments.
  const auto under_way = [&] {
    for (const auto& each : all_processes())
      if (read_file("/proc/" + std::to_string(each.pid) + "/cmdline")
              .starts_with("/bin/sh" + std::string(1, '\0') + "-c"))
        if (read_file("/proc/" + std::to_string(each.pid) + "/cmdline")
                .find("pypto-router-stop" + std::string(1, '\0') + process.instance) !=
            std::string::npos)
          return true;
    return false;
  };
  REQUIRE(in_time(under_way));
  server.cut();
  CHECK_FALSE(result.get().stopped);
  CHECK(result.get().reason.starts_with("ssh: exit status 255"));
  CHECK(alive(replica));

  auto refused = host;
  refused.identity_file = rig.dir.write("not-a-key", "");
  const auto stopped = rig.stop(refused, process, 100ms);
  CHECK_FALSE(stopped.stopped);
  CHECK(stopped.reason.find("Permission denied") != std::string::npos);
  CHECK(rig.stop(host, process, 100ms).stopped);
  CHECK_FALSE(alive(replica));
}

TEST_CASE("over a real sshd: a hung command is killed on this side and counts as failed") {
  if (no_server())
    return;
  real_sshd server;
  commander_rig rig{{.command_limit = 2s}};
  auto host = on(server, rig.host("exit 0"));
  host.stop_command = {"sleep", "200"};
  const auto result = rig.stop(host, {.instance = rig.instance()});
  CHECK_FALSE(result.stopped);
  CHECK(result.reason.find("did not end within 2 s and was killed") != std::string::npos);
  CHECK(in_time([] { return zombies_of_this_process().empty(); }));
}
