// SPDX-License-Identifier: MIT
#include "launch/support/commander_rig.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fleet;
using namespace fleet::rig;

namespace {

// A process of this test that no launch knows of.
class stranger {
 public:
  explicit stranger(const std::string& script) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
      ::_exit(127);
    }
    // In its own group from now on, or else another one's member.
    in_time([this] { return ::getpgid(pid_) == pid_; });
  }
  ~stranger() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  stranger(const stranger&) = delete;
  stranger& operator=(const stranger&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

std::string birth_now(pid_t pid) {
  std::istringstream in{read_file("/proc/" + std::to_string(pid) + "/stat")};
  std::string field;
  for (int i = 0; i < 22; ++i)
    in >> field;
  std::string boot;
  std::ifstream{"/proc/sys/kernel/random/boot_id"} >> boot;
  return field + "@" + boot;
}

// Goes on in ever new processes, each of which lives for a moment. `first` is done by the first
// one.
std::string chain(const std::string& first) {
  return R"sh(exec python3 -c '
import os, sys, time
)sh" + first +
         R"sh(
open(sys.argv[1] + "/pid", "w").write("1\n")
while True:
    if os.fork():
        os._exit(0)
    time.sleep(0.001)
' "$2")sh";
}

bool group_exists(pid_t group) {
  return ::kill(-group, 0) == 0;
}

constexpr auto ignores_term = "trap '' TERM; echo $$ >\"$2/pid\"; while :; do sleep 0.1; done";

}  // namespace

TEST_CASE("a stop sends SIGTERM to the process group and waits until no member is left") {
  commander_rig rig;
  const auto host = rig.host(
      R"(trap 'sleep 0.3; echo bye; exit 0' TERM; (exec sleep 500) & echo $! >"$2/pid"; while :; do wait; done)");
  const auto process = rig.started(rig.order(host));
  const auto worker = rig.pid_in("pid");
  const auto result = rig.stop(host, process);
  CHECK(result.stopped);
  CHECK(result.reason.empty());
  CHECK(rig.log(host).ends_with("bye\n"));
  CHECK_FALSE(alive(worker));
  CHECK(members_of(process.process_group).empty());
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  CHECK(rig.exit_of(process.instance)->how == exit_status{.code = 0});
}

TEST_CASE("a server that goes on in ever new processes is never called stopped while it lives") {
  commander_rig rig;
  const auto host = rig.host(chain(""));
  const auto process = rig.started(rig.order(host));
  rig.pid_in("pid");
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  REQUIRE(process.process_group > 1);
  REQUIRE(group_exists(process.process_group));
  CHECK(rig.inspect(host, process).alive);
  const auto result = rig.stop(host, process, 500ms);
  // Nobody is seen who could say that the group is still that launch's.
  CHECK(result.stopped != group_exists(process.process_group));
  CHECK((result.stopped || result.reason.find("left alone") != std::string::npos));
  ::kill(-process.process_group, SIGKILL);
}

TEST_CASE("such a server is killed where its group is known, whether or not it shows") {
  commander_rig rig;
  // The group's first process stays, which makes the group known, and ends by SIGTERM.
  const auto host =
      rig.host(chain("if os.fork():\n    time.sleep(500)\n"
                     "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)"));
  const auto process = rig.started(rig.order(host));
  rig.pid_in("pid");
  const auto result = rig.stop(host, process, 500ms);
  INFO(result.reason);
  CHECK(result.stopped);
  REQUIRE(process.process_group > 1);
  CHECK(in_time([&] { return !group_exists(process.process_group); }));
  ::kill(-process.process_group, SIGKILL);
}

TEST_CASE("a group of nothing but zombies, which stay, is gone") {
  const auto waiting = [](pid_t group) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setpgid(0, group);
      ::signal(SIGTERM, SIG_DFL);  // the test framework has a handler
      ::pause();
      ::_exit(0);
    }
    REQUIRE(pid > 1);
    return pid;
  };
  const pid_t leader = waiting(0);
  REQUIRE(in_time([&] { return ::getpgid(leader) == leader; }));
  const pid_t member = waiting(leader);
  REQUIRE(in_time([&] { return ::getpgid(member) == leader; }));
  commander_rig rig;
  const auto host = rig.host("exit 0");
  const process_ref process{rig.instance(), leader, birth_now(leader)};
  CHECK(rig.inspect(host, process).alive);
  ::kill(leader, SIGKILL);
  ::kill(member, SIGKILL);
  REQUIRE(in_time([&] { return !alive(leader) && !alive(member); }));
  const auto is_gone = [&] {
    CHECK(group_exists(leader));
    CHECK_FALSE(rig.inspect(host, process).alive);
    CHECK(rig.stop(host, process).stopped);
  };
  is_gone();
  CHECK(::waitpid(leader, nullptr, 0) == leader);
  is_gone();
  ::waitpid(member, nullptr, 0);
}

TEST_CASE("what is left of the group after the grace gets SIGKILL") {
  commander_rig rig;
  const auto host = rig.host(ignores_term);
  const auto process = rig.started(rig.order(host));
  rig.pid_in("pid");
  const auto begin = rig::clock::now();
  CHECK(rig.stop(host, process, 700ms).stopped);
  CHECK(rig::clock::now() - begin >= 700ms);
  CHECK(members_of(process.process_group).empty());
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  CHECK(rig.exit_of(process.instance)->how == exit_status{.signal = SIGKILL});
}

TEST_CASE("a worker that the server leaves behind in the group is killed with it") {
  commander_rig rig;
  // The worker ignores SIGTERM and has nothing of its environment left.
  const auto host = rig.host(
      R"(env -i sh -c 'trap "" TERM; while :; do sleep 0.1; done' & echo $! >"$2/pid"; exec sleep 500)");
  const auto process = rig.started(rig.order(host));
  const auto worker = rig.pid_in("pid");
  CHECK(rig.stop(host, process, 500ms).stopped);
  CHECK_FALSE(alive(worker));
}

TEST_CASE("a server that wiped its environment is still known by its group and birth") {
  commander_rig rig;
  const auto host = rig.host(R"(exec env -i sh -c 'echo $$ >"$1/pid"; exec sleep 500' sh "$2")");
  const auto process = rig.started(rig.order(host));
  REQUIRE(rig.pid_in("pid") == process.process_group);
  CHECK(rig.stop(host, process).stopped);
  CHECK_FALSE(alive(process.process_group));
}

TEST_CASE("D42: a server that its wrapper put into a session of its own is stopped all the same") {
  commander_rig rig;
  auto host = rig.host("echo $$ >\"$2/pid\"; exec sleep 500");
  host.launch_wrapper = {"sh", "-c", R"(setsid sh -c "$1" & exit 0)", "wrapper"};
  const auto process = rig.started(rig.order(host));
  const auto server = rig.pid_in("pid");
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  CHECK(rig.exit_of(process.instance)->how.good());
  REQUIRE(members_of(process.process_group).empty());
  CHECK(rig.inspect(host, process).alive);
  REQUIRE(alive(server));
  CHECK(rig.stop(host, process).stopped);
  CHECK_FALSE(alive(server));
}

TEST_CASE("D42: such a server that ignores SIGTERM is killed after the grace") {
  commander_rig rig;
  auto host = rig.host(ignores_term);
  host.launch_wrapper = {"sh", "-c", R"(setsid sh -c "$1" & wait)", "wrapper"};
  const auto process = rig.started(rig.order(host));
  const auto server = rig.pid_in("pid");
  CHECK(rig.stop(host, process, 500ms).stopped);
  CHECK_FALSE(alive(server));
  CHECK(members_of(process.process_group).empty());
}

TEST_CASE("an instance is enough to find a launch whose process group was never recorded") {
  commander_rig rig;
  const auto host = rig.host("exec sleep 500");
  const auto process = rig.started(rig.order(host));
  CHECK(rig.stop(host, {.instance = process.instance}).stopped);
  CHECK_FALSE(alive(process.process_group));
}

TEST_CASE("a longer instance id that begins alike is another launch") {
  commander_rig rig;
  const auto host = rig.host("exec sleep 500");
  const auto process = rig.started(rig.order(host));
  auto shorter = process.instance;
  shorter.pop_back();
  CHECK(rig.stop(host, {.instance = shorter}).stopped);
  CHECK(alive(process.process_group));
}

TEST_CASE("D30: the stop of a replica whose process is dead ends at once") {
  commander_rig rig;
  const auto host = rig.host("exit 0");
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  const auto begin = rig::clock::now();
  CHECK(rig.stop(host, process, 30s).stopped);
  CHECK(rig::clock::now() - begin < 40s);
}

TEST_CASE("D12: a stranger that has the recorded process group now survives, and nothing is left") {
  const stranger other{"sleep 500 & wait"};
  const stranger member{"exec sleep 500"};
  commander_rig rig;
  const auto host = rig.host("exit 0");
  auto process = rig.started(rig.order(host));
  // Whoever gets the number later was born later, by a clock tick at least.
  while (process.birth == birth_now(other.pid()))
    process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
  for (const auto& birth : {process.birth, std::string{}, std::string{"1@another-boot"}}) {
    CAPTURE(birth);
    process.process_group = other.pid();
    process.birth = birth;
    CHECK(rig.stop(host, process, 200ms).stopped);
    CHECK_FALSE(rig.inspect(host, process).alive);
    CHECK(alive(other.pid()));
    CHECK(alive(member.pid()));
  }
}

TEST_CASE("a recorded group of another boot is a stranger's, even with the same clock ticks") {
  const stranger other{"exec sleep 500"};
  commander_rig rig;
  const auto host = rig.host("exit 0");
  auto birth = birth_now(other.pid());
  birth.replace(birth.find('@'), std::string::npos, "@another-boot");
  CHECK(rig.stop(host, {rig.instance(), other.pid(), birth}, 200ms).stopped);
  CHECK(alive(other.pid()));
}

TEST_CASE("a group without its leader and without the instance is left alone, and that fails") {
  const stranger other{"(exec sleep 501) & exit 0"};
  REQUIRE(in_time([&] { return !alive(other.pid()); }));
  // Reaped, as a leader of long ago would be.
  REQUIRE(members_of(other.pid()).size() == 1);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(other.pid()), &info, WEXITED) == 0);
  commander_rig rig;
  const auto host = rig.host("exit 0");
  const process_ref process{
      rig.instance(), other.pid(),
      "1@" + birth_now(::getpid()).substr(birth_now(::getpid()).find('@') + 1)};
  const auto result = rig.stop(host, process, 200ms);
  CHECK_FALSE(result.stopped);
  CHECK(result.reason.find("left alone") != std::string::npos);
  CHECK(rig.inspect(host, process).alive);
  CHECK(members_of(other.pid()).size() == 1);
}

TEST_CASE("a process whose first thread has ended counts as long as another thread runs") {
  const pid_t half_dead = ::fork();
  if (half_dead == 0) {
    ::signal(SIGTERM, SIG_DFL);  // the test framework has a handler
    ::setsid();
    std::thread{[] { ::sleep(50); }}.detach();
    ::syscall(SYS_exit, 0);  // this thread only
  }
  REQUIRE(in_time([&] { return !alive(half_dead); }));
  commander_rig rig;
  const auto host = rig.host("exit 0");
  const process_ref process{rig.instance(), half_dead, birth_now(half_dead)};
  CHECK(rig.inspect(host, process).alive);
  // It ends as a zombie of this test, which is nothing.
  CHECK(rig.stop(host, process).stopped);
  CHECK(::waitpid(half_dead, nullptr, WNOHANG) == half_dead);
}

TEST_CASE("stop_command is run instead of the built-in way; its exit status decides") {
  commander_rig rig;
  auto host = rig.host("exec sleep 500");
  host.stop_command = {"sh",           "-c",     R"(echo "$@" >"$0/stop"; kill $(cat "$0/group"))",
                       rig.dir.path(), "{port}", "a b"};
  const auto process = rig.started(rig.order(host));
  rig.dir.write("group", std::to_string(process.process_group));
  CHECK(rig.stop(host, process).stopped);
  CHECK(read_file(rig.dir.path() + "/stop") == "8001 a b\n");
  REQUIRE(in_time([&] { return !alive(process.process_group); }));

  host.stop_command = {"sh", "-c", "echo no such job; echo try again >&2; exit 4"};
  const auto failed = rig.stop(host, process);
  CHECK_FALSE(failed.stopped);
  CHECK(failed.reason == "sh: exit status 4: try again");
  host.stop_command = {"no-such-stopper"};
  CHECK(rig.stop(host, process).reason ==
        "no-such-stopper: exit status 127: cannot run no-such-stopper: No such file or directory");
}
