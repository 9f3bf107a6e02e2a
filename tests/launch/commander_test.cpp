// SPDX-License-Identifier: MIT
#include "launch/support/commander_rig.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fleet;
using namespace fleet::rig;

TEST_CASE("a launched process survives the commander, and another one can stop it") {
  commander_rig rig;
  const auto host = rig.host("exec sleep 500");
  const auto process = rig.started(rig.order(host));
  rig.destroy_commander();
  REQUIRE(alive(process.process_group));
  {
    commander_rig next;
    CHECK(next.inspect(host, process).alive);
    CHECK(next.stop(host, process).stopped);
  }
  CHECK_FALSE(alive(process.process_group));
}

TEST_CASE("commands that are under way are killed with the commander, which does not hang") {
  commander_rig rig;
  auto host = rig.host("");
  host.stop_command = {"sh", "-c", "echo $$ >\"$0/pid\"; sleep 600; exit 0", rig.dir.path()};
  answer<stop_result> result;
  rig.commander().stop({host, rig.slot(host), {.instance = rig.instance()}, 1s}, result.callback());
  const auto stopper = rig.pid_in("pid");
  const auto begin = rig::clock::now();
  rig.destroy_commander();
  CHECK(rig::clock::now() - begin < 40s);
  CHECK(members_of(stopper).empty());
  CHECK(zombies_of_this_process().empty());
  CHECK_FALSE(result.here());
}

TEST_CASE("a command that takes too long is killed with its whole group and counts as failed") {
  commander_rig rig{{.command_limit = 500ms}};
  auto host = rig.host("");
  host.stop_command = {"sh", "-c", "echo $$ >\"$0/pid\"; echo hm >&2; sleep 600; exit 0",
                       rig.dir.path()};
  const auto result = rig.stop(host, {.instance = rig.instance()});
  CHECK_FALSE(result.stopped);
  CHECK(result.reason == "sh: did not end within 500 ms and was killed: hm");
  const auto stopper = rig.pid_in("pid");
  CHECK(in_time([&] { return members_of(stopper).empty(); }));
  CHECK(in_time([] { return zombies_of_this_process().empty(); }));
}

TEST_CASE("the built-in stop may take its grace even when that is above the limit") {
  commander_rig rig;
  commander_rig hasty{{.command_limit = 300ms}};
  const auto host =
      rig.host("trap 'sleep 1; exit 0' TERM; echo up >\"$2/up\"; while :; do sleep 0.1; done");
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return !read_file(rig.dir.path() + "/up").empty(); }));
  CHECK(hasty.stop(host, process, 30s).stopped);
}

TEST_CASE("a launch that never gets to its program is killed in time") {
  commander_rig rig{{.command_limit = 500ms}};
  auto host = rig.host("exit 0");
  // Opening a pipe that nobody reads does not return.
  REQUIRE(::mkfifo((rig.dir.path() + "/h-d0.log").c_str(), 0600) == 0);
  host.log_dir = rig.dir.path();
  const auto result = rig.launch(rig.order(host));
  CHECK_FALSE(result.started);
  CHECK(result.may_be_running);
  CHECK(result.reason == "could not be started in time and was killed");
  CHECK(result.process.process_group > 1);
  CHECK(in_time([&] { return members_of(result.process.process_group).empty(); }));
}

TEST_CASE("what a command leaves running in the background is not waited for") {
  commander_rig rig;
  auto host = rig.host("");
  host.stop_command = {"sh", "-c", "sleep 200 & echo $! >\"$0/pid\"", rig.dir.path()};
  const auto begin = rig::clock::now();
  CHECK(rig.stop(host, {.instance = rig.instance()}).stopped);
  CHECK(rig::clock::now() - begin < 40s);
  const auto left = rig.pid_in("pid");
  CHECK(alive(left));
  ::kill(left, SIGKILL);
}

TEST_CASE("a stuck command delays nobody else") {
  commander_rig rig;
  auto stuck = rig.host("");
  stuck.stop_command = {"sleep", "600"};
  std::vector<answer<stop_result>> waiting(8);
  for (auto& each : waiting)
    rig.commander().stop({stuck, rig.slot(stuck), {.instance = rig.instance()}, 1s},
                         each.callback());
  const auto host = rig.host("exec sleep 500");
  const auto begin = rig::clock::now();
  const auto process = rig.started(rig.order(host));
  CHECK(rig.stop(host, process).stopped);
  CHECK(rig::clock::now() - begin < 40s);
  for (const auto& each : waiting)
    CHECK_FALSE(each.here());
}

TEST_CASE("launches run side by side") {
  commander_rig rig;
  auto host =
      rig.host(R"(: >"$2/up.$1"; while [ $(ls "$2" | grep -c '^up') -lt 4 ]; do sleep 0.05; done)");
  host.devices = {0, 1, 2, 3};
  std::vector<std::pair<launch_order, answer<launch_result>>> all;
  for (const auto& slot : lay_out_slots({host}))
    all.push_back({{host, slot, rig.instance()}, {}});
  for (auto& [order, result] : all)
    rig.commander().launch(order, result.callback());
  for (auto& [order, result] : all) {
    CHECK(result.get().started);
    CHECK(in_time([&, id = order.instance] { return rig.exit_of(id).has_value(); }));
  }
}

TEST_CASE("D82: 30 launches and stops in a row leave no zombie and no descriptor behind") {
  commander_rig rig;
  const auto run = [&](int number) {
    const exit_status expected = number % 3 == 0   ? exit_status{.code = 0}
                                 : number % 3 == 1 ? exit_status{.code = 3}
                                                   : exit_status{.signal = SIGKILL};
    const auto host =
        rig.host(number % 3 == 2 ? "trap '' TERM; echo up; while :; do sleep 0.05; done"
                                 : "trap 'exit " + std::to_string(expected.code) +
                                       "' TERM; echo up; while :; do sleep 0.05; done");
    const auto process = rig.started(rig.order(host));
    REQUIRE(in_time([&] { return rig.log(host).size() > process.log_begin; }));
    CHECK(rig.stop(host, process, number % 3 == 2 ? 200ms : 10s).stopped);
    REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
    CHECK(rig.exit_of(process.instance)->how == expected);
  };
  run(0);
  const auto before = descriptors_of_this_process();
  for (int i = 1; i <= 30; ++i)
    run(i);
  CHECK(in_time([] { return zombies_of_this_process().empty(); }));
  CHECK(in_time([&] { return descriptors_of_this_process() == before; }));
}

TEST_CASE("a look tells whether a replica runs, how it ended, and what it wrote") {
  commander_rig rig;
  const auto host = rig.host("echo up; read -r x <\"$2/gate\"; exit 3");
  REQUIRE(::mkfifo((rig.dir.path() + "/gate").c_str(), 0600) == 0);
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.inspect(host, process).log == "up\n"; }));
  auto look = rig.inspect(host, process);
  CHECK(look.known);
  CHECK(look.alive);
  CHECK_FALSE(look.ended);
  rig.dir.write("gate", "go\n");
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  look = rig.inspect(host, process);
  CHECK(look.known);
  CHECK_FALSE(look.alive);
  CHECK(look.ended);
  CHECK(look.how == exit_status{.code = 3});
  CHECK(look.log == "up\n");
}

TEST_CASE("a log can be read from an offset on, up to so many of its last bytes") {
  commander_rig rig;
  const auto host = rig.host("printf 'one\\ntwo\\n'");
  const auto order = rig.order(host);
  const auto read = [&](std::uint64_t begin, std::uint64_t bytes) {
    answer<log_answer> result;
    rig.commander().read_log({host, rig.slot(host), begin, bytes}, result.callback());
    return result.get();
  };
  const auto missing = read(0, 10);
  REQUIRE(missing.outcome == log_outcome::failed);
  CHECK(missing.message.find("there is none yet") != std::string::npos);
  rig.started(order);
  REQUIRE(in_time([&] { return rig.exit_of(order.instance).has_value(); }));
  CHECK(read(0, 100) == log_answer{log_outcome::read, "one\ntwo\n", 8, {}});
  CHECK(read(0, 4).text == "two\n");
  CHECK(read(3, 100).text == "\ntwo\n");
  CHECK(read(0, 0) == log_answer{log_outcome::read, {}, 8, {}});
  CHECK(read(8, 100) == log_answer{log_outcome::read, {}, 8, {}});
}

TEST_CASE("D30: orphans that this process inherits are reaped, its own children are not stolen") {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  {
    commander_rig rig;
    auto host = rig.host("echo $$ >\"$2/pid\"; exec sleep 0.2");
    host.launch_wrapper = {"sh", "-c", R"(setsid sh -c "$1" & exit 3)", "wrapper"};
    const auto process = rig.started(rig.order(host));
    const auto server = rig.pid_in("pid");
    REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
    CHECK(rig.exit_of(process.instance)->how == exit_status{.code = 3});
    CHECK(in_time([&] { return ::kill(server, 0) != 0; }));
    CHECK(in_time([] { return zombies_of_this_process().empty(); }));
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}
