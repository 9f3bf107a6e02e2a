// SPDX-License-Identifier: MIT
// Whether a stop's look at all processes misses nobody, and comes to an end.
#include "launch/support/commander_rig.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace fleet;
using namespace fleet::rig;

namespace {

// Ignores SIGTERM and goes on in ever new processes, each in a session of its own, until there is a
// file `end` (or no folder any more); then it leaves a file `lived`.
constexpr auto hops = R"sh(exec python3 -c '
import os, signal, sys, time
folder = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(folder + "/pid", "w").write("1\n")
while os.path.exists(folder) and not os.path.exists(folder + "/end"):
    if os.fork():
        os._exit(0)
    os.setsid()
    time.sleep(PAUSE)
open(folder + "/lived", "w").close()
' "$2")sh";

std::string hopping(const std::string& pause) {
  std::string script = hops;
  return script.replace(script.find("PAUSE"), 5, pause);
}

}  // namespace

TEST_CASE("a server that goes on in ever new sessions is never called stopped while it lives") {
  for (const std::string pause : {"0.0005", "0.001", "0.005", "0.02"}) {
    CAPTURE(pause);
    commander_rig rig;
    const auto host = rig.host(hopping(pause));
    const auto process = rig.started(rig.order(host));
    rig.pid_in("pid");
    REQUIRE(in_time([&] { return rig.exit_of(process.instance).has_value(); }));
    CHECK(rig.inspect(host, process).alive);
    const auto result = rig.stop(host, process, 100ms);
    INFO(result.reason);
    std::ofstream{rig.dir.path() + "/end"};
    const auto lived = [&] { return std::filesystem::exists(rig.dir.path() + "/lived"); };
    if (result.stopped) {
      CHECK_FALSE(eventually(lived, 300ms));
    } else {
      CHECK(in_time(lived));
    }
  }
}

TEST_CASE(
    "a process outside the group whose first thread has ended is still known by the instance") {
  commander_rig rig;
  const auto instance = rig.instance();
  const pid_t half_dead = ::fork();
  if (half_dead == 0) {
    ::setsid();
    const auto variable = "PYPTO_ROUTER_INSTANCE=" + instance;
    const auto exit_call = std::to_string(SYS_exit);
    // A program of its own: only what came with exec shows as environment.
    ::execlp("env", "env", variable.c_str(), "python3", "-c", R"py(
import ctypes, signal, sys, threading, time
signal.signal(signal.SIGTERM, signal.SIG_DFL)
threading.Thread(target=lambda: time.sleep(50)).start()
ctypes.CDLL(None).syscall(int(sys.argv[1]), 0)
)py",
             exit_call.c_str(), nullptr);
    ::_exit(127);
  }
  REQUIRE(in_time([&] { return !alive(half_dead); }));
  for (int i = 0; i < 200; ++i) {  // it is not among the newest any more
    const pid_t newer = ::fork();
    if (newer == 0)
      ::_exit(0);
    ::waitpid(newer, nullptr, 0);
  }
  const auto host = rig.host("exit 0");
  const process_ref process{instance, 0, ""};
  CHECK(rig.inspect(host, process).alive);
  CHECK(rig.stop(host, process).stopped);
  CHECK(::waitpid(half_dead, nullptr, WNOHANG) == half_dead);
}

TEST_CASE("many are stopped at once, though each stop starts processes, too") {
  commander_rig rig;
  const auto host = rig.host("exec sleep 500");
  std::vector<process_ref> all;
  for (int i = 0; i < 24; ++i)
    all.push_back(rig.started(rig.order(host)));
  std::vector<answer<stop_result>> answers(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    rig.commander().stop({host, rig.slot(host), all[i], 10s}, answers[i].callback());
  for (const auto& one : answers) {
    const auto result = one.get();
    INFO(result.reason);
    CHECK(result.stopped);
  }
}
