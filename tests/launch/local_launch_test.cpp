// SPDX-License-Identifier: MIT
#include "launch/support/commander_rig.hpp"

#include "fleet/core/command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace fleet;
using namespace fleet::rig;

namespace {

// Writes its arguments, each ended by NUL, whole or not at all.
constexpr auto dump_arguments = R"(out=$1/words; shift
for word; do printf '%s\000' "$word"; done >"$out.new"; mv "$out.new" "$out")";

const std::vector<std::string> odd_words = {
    "a b",      "it's", "\"x\"", "$HOME", "`id`",
    "$(id)",    "",     "a\nb",  "\\",    "*",
    "~",        "-n",   "a=b",   "!",     R"({"a": {"b": [1, "c d"]}})",
    "\xc3\xa9", "\xff", ";",     "&",     "#",
    "\t"};

host_spec dumping_host(const commander_rig& rig) {
  auto host = rig.host(dump_arguments);
  host.serve_command = {"sh", "-c", dump_arguments, "{model}", rig.dir.path()};
  host.serve_args = odd_words;
  return host;
}

std::vector<std::string> dumped_words(const commander_rig& rig) {
  const auto path = rig.dir.path() + "/words";
  REQUIRE(in_time([&] { return std::filesystem::exists(path); }));
  return nul_words(read_file(path));
}

std::string line_with(const std::string& text, const std::string& start) {
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(start))
      return line;
  return {};
}

}  // namespace

TEST_CASE("arguments reach a local replica byte for byte") {
  commander_rig rig;
  rig.started(rig.order(dumping_host(rig)));
  CHECK(dumped_words(rig) == odd_words);
}

TEST_CASE("the serving command is handed to the wrapper as one argument, shell-quoted") {
  commander_rig rig;
  auto host = dumping_host(rig);
  host.launch_wrapper = {"sh", "-c", R"([ $# = 1 ] && eval "exec $1")", "wrapper"};
  rig.started(rig.order(host));
  CHECK(dumped_words(rig) == odd_words);
}

TEST_CASE("a launched process is detached: own session, standard input from the null device") {
  commander_rig rig;
  const auto host =
      rig.host(R"(readlink /proc/self/fd/0 >"$2/in"; echo out; echo err >&2; exec sleep 60)");
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.log(host) == "out\nerr\n"; }));
  CHECK(read_file(rig.dir.path() + "/in") == "/dev/null\n");
  const auto all = all_processes();
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const auto& each) { return each.pid == process.process_group; });
  REQUIRE(it != all.end());
  CHECK(it->group == it->pid);
  CHECK(it->session == it->pid);
}

TEST_CASE("D16: a launched process inherits no descriptor") {
  commander_rig rig;
  // Two that would be inherited: without close-on-exec.
  const int low = ::open("/dev/null", O_RDONLY);
  const int high = ::fcntl(low, F_DUPFD, 200);
  const auto host = rig.host("exec sleep 600");
  const auto process = rig.started(rig.order(host));
  const auto folder = "/proc/" + std::to_string(process.process_group) + "/fd";
  const auto open = [&] {
    std::set<std::string> numbers;
    for (const auto& each : std::filesystem::directory_iterator{folder})
      numbers.insert(each.path().filename());
    return numbers;
  };
  // The loader opens libraries for a moment.
  CHECK(in_time([&] { return open() == std::set<std::string>{"0", "1", "2"}; }));
  ::close(low);
  ::close(high);
}

TEST_CASE("a launch that is stuck before its program runs holds no descriptor of this process") {
  for (const int flags : {0, O_CLOEXEC}) {
    CAPTURE(flags);
    commander_rig rig;
    auto host = rig.host("exit 0");
    host.log_dir = rig.dir.path();
    // Opening a pipe that nobody reads does not return.
    REQUIRE(::mkfifo((rig.dir.path() + "/h-d0.log").c_str(), 0600) == 0);
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), flags) == 0);
    answer<launch_result> result;
    rig.commander().launch(rig.order(host), result.callback());
    pid_t child = 0;
    REQUIRE(in_time([&] {
      for (const auto& each : all_processes())
        if (each.parent == ::getpid() && each.state != 'Z')
          child = each.pid;
      return child != 0;
    }));
    ::close(ends[1]);
    pollfd end{.fd = ends[0], .events = POLLIN, .revents = 0};
    CHECK(::poll(&end, 1, 5000) == 1);
    CHECK((end.revents & POLLHUP) != 0);
    const auto folder = "/proc/" + std::to_string(child) + "/fd/";
    for (const auto* standard : {"1", "2"})
      CHECK(std::filesystem::read_symlink(folder + standard) !=
            std::filesystem::read_symlink(std::string{"/proc/self/fd/"} + standard));
    CHECK_FALSE(result.here());
    ::kill(child, SIGKILL);
    CHECK_FALSE(result.get().started);
    ::close(ends[0]);
  }
}

TEST_CASE("a launched process starts with no signal blocked and none ignored") {
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  commander_rig rig;
  const auto host = rig.host(R"(exec grep Sig /proc/self/status)");
  rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.log(host).find("SigCgt") != std::string::npos; }));
  CHECK(line_with(rig.log(host), "SigBlk") == "SigBlk:\t0000000000000000");
  CHECK(line_with(rig.log(host), "SigIgn") == "SigIgn:\t0000000000000000");
  ::signal(SIGPIPE, before);
  ::pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
}

TEST_CASE("env is added to the inherited environment, with the instance id") {
  const scoped_variable inherited{"FLEET_TEST_INHERITED", "from here"};
  const scoped_variable replaced{"FLEET_TEST_REPLACED", "old"};
  const scoped_variable outer{"PYPTO_ROUTER_INSTANCE", "outer"};
  commander_rig rig;
  auto host = rig.host("exec sleep 600");
  host.env = {{"FLEET_TEST_REPLACED", "new"}, {"BUILD", "b_d{device} $x"}};
  const auto process = rig.started(rig.order(host));
  // Empty for a moment while a program takes the place of the shell.
  std::vector<std::string> lines;
  REQUIRE(in_time([&] {
    lines = environment_of(process.process_group);
    return !lines.empty();
  }));
  const auto count = [&](const std::string& line) {
    return std::count(lines.begin(), lines.end(), line);
  };
  CHECK(count("FLEET_TEST_INHERITED=from here") == 1);
  CHECK(count("FLEET_TEST_REPLACED=new") == 1);
  CHECK(count("FLEET_TEST_REPLACED=old") == 0);
  CHECK(count("BUILD=b_d0 $x") == 1);
  CHECK(count("PYPTO_ROUTER_INSTANCE=" + process.instance) == 1);
  CHECK(count("PYPTO_ROUTER_INSTANCE=outer") == 0);
}

TEST_CASE("D48: the admin token never reaches a launched process") {
  const scoped_variable token{"PYPTO_ROUTER_ADMIN_TOKEN", "sesame"};
  commander_rig rig;
  auto host = rig.host("exec sleep 600");
  host.env = {{"PYPTO_ROUTER_ADMIN_TOKEN", "sesame"}};
  const auto process = rig.started(rig.order(host));
  // Both are empty while a program takes the place of the shell.
  std::string arguments;
  std::string environment;
  REQUIRE(in_time([&] {
    const auto proc = "/proc/" + std::to_string(process.process_group);
    arguments = read_file(proc + "/cmdline");
    environment = read_file(proc + "/environ");
    return arguments.starts_with("sleep") && !environment.empty();
  }));
  CHECK(environment.find("sesame") == std::string::npos);
  CHECK(arguments.find("sesame") == std::string::npos);
}

TEST_CASE("a replica runs in its workdir, and a program named by a path is found from there") {
  commander_rig rig;
  std::filesystem::create_directory(rig.dir.path() + "/work");
  const auto program = rig.dir.write("work/serve", "#!/bin/sh\npwd\n");
  ::chmod(program.c_str(), 0755);
  auto host = rig.host("");
  host.serve_command = {"./serve", "{port}"};
  host.workdir = rig.dir.path() + "/work";
  rig.started(rig.order(host));
  CHECK(in_time([&] { return rig.log(host) == rig.dir.path() + "/work\n"; }));
}

TEST_CASE("a program is looked up in the PATH that the replica gets") {
  commander_rig rig;
  // No interpreter named: sh runs it, as a shell would.
  const auto program = rig.dir.write("serve-me", "echo \"served $1\"\n");
  ::chmod(program.c_str(), 0755);
  auto host = rig.host("");
  host.serve_command = {"serve-me", "{port}"};
  host.env = {{"PATH", "/nowhere:" + rig.dir.path()}};
  rig.started(rig.order(host));
  CHECK(in_time([&] { return rig.log(host) == "served 8001\n"; }));
}

TEST_CASE("a launch that cannot run its program fails with the system's reason") {
  commander_rig rig;
  const auto expect = [&](const host_spec& host, const std::string& reason) {
    const auto order = rig.order(host);
    const auto result = rig.launch(order);
    CHECK_FALSE(result.started);
    CHECK_FALSE(result.may_be_running);
    CHECK(result.reason == reason);
    CHECK(result.process.instance == order.instance);
    CHECK_FALSE(rig.exit_of(order.instance));
  };
  auto host = rig.host("");
  host.serve_command = {"no-such-program", "{port}"};
  expect(host, "cannot run no-such-program: No such file or directory");
  host.serve_command = {rig.dir.write("plain", "x"), "{port}"};
  expect(host, "cannot run " + rig.dir.path() + "/plain: Permission denied");
  host = rig.host("exit 0");
  host.workdir = "/no/such/folder";
  expect(host, "cannot enter /no/such/folder: No such file or directory");
  host = rig.host("exit 0");
  host.log_dir = rig.dir.path() + "/plain/logs";
  expect(host, "cannot make the log's folder " + rig.dir.path() + "/plain/logs: Not a directory");
  host.log_dir = "/proc/router/logs";
  expect(host, "cannot make the log's folder /proc/router: No such file or directory");
  std::filesystem::create_directories(rig.dir.path() + "/taken/h-d0.log");
  host.log_dir = rig.dir.path() + "/taken";
  expect(host, "cannot write " + rig.dir.path() + "/taken/h-d0.log: Is a directory");
  CHECK(zombies_of_this_process().empty());
}

TEST_CASE("output is appended to the slot's log, whose folder is made") {
  commander_rig rig;
  auto host = rig.host("echo hello");
  host.log_dir = rig.dir.path() + "/a/b c/{device}";
  const auto first = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.exit_of(first.instance).has_value(); }));
  const auto second = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.exit_of(second.instance).has_value(); }));
  CHECK(read_file(rig.dir.path() + "/a/b c/0/h-d0.log") == "hello\nhello\n");
  CHECK(first.log_begin == 0);
  CHECK(second.log_begin == 6);
}

TEST_CASE("the end of a launched process is told: exit status or signal, and the tail of its log") {
  struct row {
    const char* script;
    exit_status how;
    const char* text;
  };
  for (const auto& [script, how, text] :
       {row{"echo fine", {.code = 0}, "exit status 0"},
        row{"echo fine; exit 3", {.code = 3}, "exit status 3"},
        row{"echo fine; kill -KILL $$", {.signal = SIGKILL}, "killed by SIGKILL"}}) {
    commander_rig rig;
    const auto host = rig.host(script);
    rig.dir.write("unused", "");
    std::filesystem::create_directory(rig.dir.path() + "/logs");
    rig.dir.write("logs/h-d0.log", "from an earlier launch\n");
    const auto order = rig.order(host);
    rig.started(order);
    REQUIRE(in_time([&] { return rig.exit_of(order.instance).has_value(); }));
    const auto end = *rig.exit_of(order.instance);
    CHECK(end.slot == "h-d0");
    CHECK(end.how == how);
    CHECK(to_string(end.how) == text);
    CHECK(end.log == "fine\n");
    CHECK(zombies_of_this_process().empty());
  }
}

TEST_CASE("the tail of a log is its last lines within 2 KiB, harmless to whoever shows it") {
  commander_rig rig;
  const auto host = rig.host(
      R"(i=0; while [ $i -lt 500 ]; do echo "line $i"; i=$((i+1)); done; printf 'end\033[2J\377')");
  const auto order = rig.order(host);
  rig.started(order);
  REQUIRE(in_time([&] { return rig.exit_of(order.instance).has_value(); }));
  const auto log = rig.exit_of(order.instance)->log;
  CHECK(log.size() <= 2048);
  CHECK(log.size() > 2000);
  CHECK(log.starts_with("line "));
  CHECK(log.ends_with("line 499\nend?[2J?"));
}

TEST_CASE("a replica whose ending nobody could see for a while is not lost: SIGCHLD ignored") {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  {
    commander_rig rig;
    const auto order = rig.order(rig.host("exit 3"));
    rig.started(order);
    REQUIRE(in_time([&] { return rig.exit_of(order.instance).has_value(); }));
    CHECK(rig.exit_of(order.instance)->how == exit_status{.code = 3});
  }
  ::signal(SIGCHLD, before);
}

TEST_CASE("an instance id that a shell could misread is refused") {
  commander_rig rig;
  for (const auto* bad : {"", "a b", "a\nb", "$(id)"}) {
    auto order = rig.order(rig.host("exit 0"));
    order.instance = bad;
    const auto result = rig.launch(order);
    CHECK_FALSE(result.started);
    CHECK(result.reason == "the instance id is not valid");
    CHECK_FALSE(rig.stop(order.host, {.instance = bad}).stopped);
    CHECK_FALSE(rig.inspect(order.host, {.instance = bad}).known);
  }
}
