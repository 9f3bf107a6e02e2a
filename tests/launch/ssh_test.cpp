// SPDX-License-Identifier: MIT
#include "launch/support/fake_ssh.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

using namespace fleet;
using namespace fleet::rig;

namespace {

using words = std::vector<std::string>;

host_spec far(host_spec host) {
  host.ssh = "user@far";
  return host;
}

// Before the remote words.
words options_of(const words& call) {
  return {call.begin(), std::find(call.begin(), call.end(), "--")};
}

}  // namespace

TEST_CASE("ssh runs in batch mode, accepts new host keys only, and gives up connecting in 10 s") {
  const fake_ssh ssh;
  commander_rig rig;
  const auto host = far(rig.host("exec sleep 500"));
  const auto process = rig.started(rig.order(host));
  rig.inspect(host, process);
  rig.stop(host, process);
  REQUIRE(ssh.calls().size() == 3);
  for (const auto& call : ssh.calls()) {
    CHECK(options_of(call) == words{"-T", "-o", "BatchMode=yes", "-o",
                                    "StrictHostKeyChecking=accept-new", "-o", "ConnectTimeout=10"});
    CHECK(call[options_of(call).size() + 1] == "user@far");
  }
}

TEST_CASE("D88: with an identity file ssh gets -i and IdentitiesOnly") {
  const fake_ssh ssh;
  ssh.first("exit 0");
  commander_rig rig;
  auto host = far(rig.host(""));
  host.identity_file = "/home/u/a key%1";
  rig.launch(rig.order(host));
  const auto options = options_of(ssh.calls().at(0));
  // ssh itself reads %% as one %.
  CHECK(words(options.end() - 4, options.end()) ==
        words{"-o", "IdentitiesOnly=yes", "-i", "/home/u/a key%%1"});
}

TEST_CASE("D36: an ssh launch returns when the process is started, which keeps nothing of ssh") {
  const fake_ssh ssh;
  // Pipes for 0, 1 and 2, and an end only when they end.
  ssh.first("sleep 1 | sh -c \"$*\" 2>&1 | cat; exit 0");
  commander_rig rig;
  const auto host = far(rig.host("echo $$ >\"$2/pid\"; echo out; echo err >&2; exec sleep 500"));
  const auto begin = rig::clock::now();
  const auto process = rig.started(rig.order(host));
  CHECK(rig::clock::now() - begin < 5s);
  const auto server = rig.pid_in("pid");
  CHECK(in_time([&] { return rig.log(host) == "out\nerr\n"; }));
  const auto at = [&](const char* number) {
    return std::filesystem::read_symlink("/proc/" + std::to_string(server) + "/fd/" + number);
  };
  CHECK(at("0") == "/dev/null");
  CHECK(at("1") == rig.dir.path() + "/logs/h-d0.log");
  CHECK(at("2") == rig.dir.path() + "/logs/h-d0.log");
  const auto all = all_processes();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.pid == server; });
  REQUIRE(it != all.end());
  CHECK(it->group == process.process_group);
  CHECK(it->session == process.process_group);
}

TEST_CASE("every remote word is shell-quoted: arguments arrive byte for byte") {
  const words odd = {"a b",      "it's", "\"x\"", "$HOME", "`id`",
                     "$(id)",    "",     "a\nb",  "\\",    "*",
                     "~",        "-n",   "a=b",   "!",     R"({"a": {"b": [1, "c d"]}})",
                     "\xc3\xa9", "\xff", ";",     "#"};
  constexpr auto dump =
      R"(out=$1/words; shift; for word; do printf '%s\000' "$word"; done >"$out.new"; mv "$out.new" "$out")";
  for (const bool wrapped : {false, true}) {
    const fake_ssh ssh;
    commander_rig rig;
    auto host = far(rig.host(""));
    host.serve_command = {"sh", "-c", dump, "{model}", rig.dir.path()};
    host.serve_args = odd;
    host.env = {{"ODD", odd[5] + odd[7] + "'{port}'"}};
    if (wrapped)
      host.launch_wrapper = {"sh", "-c",
                             R"([ $# = 1 ] && printf %s "$ODD" >"$0" && eval "exec $1")",
                             rig.dir.path() + "/env"};
    rig.started(rig.order(host));
    const auto path = rig.dir.path() + "/words";
    REQUIRE(in_time([&] { return std::filesystem::exists(path); }));
    CHECK(nul_words(read_file(path)) == odd);
    if (wrapped)
      CHECK(read_file(rig.dir.path() + "/env") == "$(id)a\nb'8001'");
  }
}

TEST_CASE("an ssh launch has its own session, workdir, environment, and no signal ignored") {
  const scoped_variable token{"PYPTO_ROUTER_ADMIN_TOKEN", "sesame"};
  const fake_ssh ssh;
  ssh.first("export PYPTO_ROUTER_ADMIN_TOKEN=sesame");
  commander_rig rig;
  auto host =
      far(rig.host("pwd; grep Sig[BI] /proc/self/status; echo $$ >\"$2/pid\"; exec sleep 500"));
  std::filesystem::create_directory(rig.dir.path() + "/a b");
  host.workdir = rig.dir.path() + "/a b";
  host.env = {{"BUILD", "b_d{device}"}, {"PYPTO_ROUTER_ADMIN_TOKEN", "sesame"}};
  const auto process = rig.started(rig.order(host));
  // Between two programs of one process it has none.
  std::vector<std::string> lines;
  REQUIRE(eventually([&] {
    lines = environment_of(rig.pid_in("pid"));
    return !lines.empty();
  }));
  const auto count = [&](const std::string& line) {
    return std::count(lines.begin(), lines.end(), line);
  };
  CHECK(count("BUILD=b_d0") == 1);
  CHECK(count("PYPTO_ROUTER_INSTANCE=" + process.instance) == 1);
  CHECK(count("PYPTO_ROUTER_ADMIN_TOKEN=sesame") == 0);
  CHECK(rig.log(host) ==
        rig.dir.path() + "/a b\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  for (const auto& call : ssh.calls())
    CHECK(std::none_of(call.begin(), call.end(),
                       [](const auto& word) { return word.find("sesame") != std::string::npos; }));
}

TEST_CASE("an ssh launch that cannot run its program fails with the reason") {
  const fake_ssh ssh;
  commander_rig rig;
  const auto expect = [&](const host_spec& host, const std::string& reason) {
    const auto result = rig.launch(rig.order(host));
    CHECK_FALSE(result.started);
    CHECK_FALSE(result.may_be_running);
    CHECK(result.reason.starts_with("ssh: exit status 1: "));
    CAPTURE(result.reason);
    CHECK(result.reason.find(reason) != std::string::npos);
  };
  auto host = far(rig.host(""));
  host.serve_command = {"no-such-program", "{port}"};
  expect(host, "no-such-program: not found");
  host = far(rig.host("exit 0"));
  host.workdir = "/no/such/folder";
  expect(host, "/no/such/folder");
  host = far(rig.host("exit 0"));
  rig.dir.write("plain", "");
  host.log_dir = rig.dir.path() + "/plain/logs";
  expect(host, "/plain");
  expect(host, ": Not a directory");
}

TEST_CASE("the end of a process that was launched over ssh is told with its status or signal") {
  struct row {
    const char* script;
    exit_status how;
  };
  for (const auto& [script, how] :
       {row{"echo fine", {.code = 0}}, row{"echo fine; exit 3", {.code = 3}},
        row{"echo fine; kill -KILL $$", {.signal = SIGKILL}}}) {
    const fake_ssh ssh;
    commander_rig rig;
    const auto host = far(rig.host(script));
    // From an earlier launch: not ours to tell.
    std::filesystem::create_directory(rig.dir.path() + "/logs");
    rig.dir.write("logs/h-d0.log", "old\n");
    rig.dir.write("logs/h-d0.log.exit", "other 9\n");
    const auto process = rig.started(rig.order(host));
    CHECK(process.log_begin == 4);
    REQUIRE(in_time([&] { return rig.inspect(host, process).ended; }));
    const auto look = rig.inspect(host, process);
    CHECK(look.how == how);
    CHECK_FALSE(look.alive);
    CHECK(look.log.starts_with("fine\n"));
    auto other = process;
    other.instance = rig.instance();
    CHECK_FALSE(rig.inspect(host, other).ended);
  }
}

TEST_CASE("over ssh, too, the tail of a log is whole lines of this launch only") {
  const fake_ssh ssh;
  commander_rig rig;
  std::filesystem::create_directory(rig.dir.path() + "/logs");
  rig.dir.write("logs/h-d0.log", "old, and cut of");
  for (const bool more_than_fits : {false, true}) {
    const auto host = far(rig.host(more_than_fits ? "seq -f 'line %g' 500" : "seq -f 'line %g' 3"));
    const auto process = rig.started(rig.order(host));
    REQUIRE(in_time([&] { return rig.inspect(host, process).ended; }));
    const auto log = rig.inspect(host, process).log;
    CHECK(log.starts_with("line "));
    CHECK(log.ends_with(more_than_fits ? "line 500\n" : "line 3\n"));
    CHECK(log.size() <= 2048);
    CHECK((log.find("line 1\n") == std::string::npos) == more_than_fits);
  }
}

TEST_CASE("a stop over ssh leaves nothing of the launch, whatever shell the other side has") {
  std::vector<std::string> shells{"/bin/sh"};
  const temp_dir tools;
  for (const auto* shell : {"/bin/bash", "/bin/busybox"})
    if (std::filesystem::exists(shell)) {
      const auto folder = tools.path() + shell;
      std::filesystem::create_directories(folder);
      std::filesystem::create_symlink(shell, folder + "/sh");
      // busybox brings its own tools; setsid has no --fork there, grep stops at a NUL.
      if (shell == std::string{"/bin/busybox"})
        for (const auto* tool :
             {"setsid", "grep", "awk", "tr", "tail", "wc", "cat", "sleep", "env"})
          std::filesystem::create_symlink(shell, folder + "/" + tool);
      shells.push_back(folder + "/sh");
    }
  for (const auto& shell : shells) {
    CAPTURE(shell);
    const fake_ssh ssh;
    ssh.remote_shell(shell);
    commander_rig rig;
    // A worker that ignores SIGTERM, one in its own session, and a polite leader.
    const auto host = far(rig.host(R"(
      (trap '' TERM; echo $$; exec sleep 501) &
      setsid sh -c 'echo $$ >"$0/far"; exec sleep 502' "$2" &
      echo $$ >"$2/pid"; exec sleep 503)"));
    const auto process = rig.started(rig.order(host));
    const auto server = rig.pid_in("pid");
    const auto elsewhere = rig.pid_in("far");
    CHECK(rig.inspect(host, process).alive);
    const auto result = rig.stop(host, process, 500ms);
    CAPTURE(result.reason);
    CHECK(result.stopped);
    CHECK_FALSE(alive(server));
    CHECK_FALSE(alive(elsewhere));
    CHECK(members_of(process.process_group).empty());
    CHECK(carriers_of("PYPTO_ROUTER_INSTANCE=" + process.instance).empty());
    CHECK_FALSE(rig.inspect(host, process).alive);
  }
}

TEST_CASE("a polite stop over ssh still notes how the server ended") {
  const fake_ssh ssh;
  commander_rig rig;
  const auto host =
      far(rig.host("trap 'exit 7' TERM; echo up >\"$2/up\"; while :; do sleep 0.05; done"));
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return !read_file(rig.dir.path() + "/up").empty(); }));
  CHECK(rig.stop(host, process).stopped);
  CHECK(rig.inspect(host, process).how == exit_status{.code = 7});
}

TEST_CASE("D50: ssh's exit status 255 is a failure, not 'gone'") {
  const fake_ssh ssh;
  commander_rig rig;
  const auto host = far(rig.host("exit 0"));
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.inspect(host, process).ended; }));
  for (const auto& [script, reason] : std::vector<std::pair<std::string, std::string>>{
           {"echo 'ssh: connect to host far port 22: Connection refused' >&2; exit 255",
            "ssh: exit status 255: ssh: connect to host far port 22: Connection refused"},
           {"exit 1", "ssh: exit status 1"}}) {
    ssh.first(script);
    const auto stopped = rig.stop(host, process);
    CHECK_FALSE(stopped.stopped);
    CHECK(stopped.reason == reason);
    const auto look = rig.inspect(host, process);
    CHECK_FALSE(look.known);
    CHECK(look.reason == reason);
    const auto launched = rig.launch(rig.order(host));
    CHECK_FALSE(launched.started);
    CHECK_FALSE(launched.may_be_running);
    CHECK(launched.reason == reason);
  }
}

TEST_CASE("a connection lost during the launch leaves open whether something runs") {
  // The launch goes through; a part of its answer does not, or all of it.
  for (const auto* lost :
       {"sh -c \"$*\" | { read -r begun; echo \"$begun\"; cat >/dev/null; }; exit 255",
        "sh -c \"$*\" >/dev/null 2>&1; echo 'client_loop: send disconnect: Broken pipe' >&2; "
        "exit 255"}) {
    const fake_ssh ssh;
    commander_rig rig;
    const auto host = far(rig.host("exec sleep 500"));
    ssh.first(lost);
    const auto result = rig.launch(rig.order(host));
    CHECK_FALSE(result.started);
    CHECK(result.may_be_running);
    ssh.first("");
    CHECK(rig.inspect(host, result.process).alive);
    CHECK(rig.stop(host, result.process).stopped);
    CHECK_FALSE(rig.inspect(host, result.process).alive);
    CHECK(carriers_of("PYPTO_ROUTER_INSTANCE=" + result.process.instance).empty());
  }
}

TEST_CASE("an ssh that hangs is killed, and what hung counts as failed") {
  const fake_ssh ssh;
  ssh.first("sleep 600; exit 0");
  commander_rig rig{{.command_limit = 400ms}};
  const auto host = far(rig.host("exec sleep 500"));
  const auto launched = rig.launch(rig.order(host));
  CHECK_FALSE(launched.started);
  CHECK(launched.may_be_running);
  CHECK(launched.reason == "ssh: did not end within 400 ms and was killed");
  CHECK(rig.inspect(host, launched.process).reason == launched.reason);
  // The other side began.
  commander_rig patient{{.command_limit = 10s}};
  ssh.first("sh -c \"$*\"; sleep 600; exit 0");
  CHECK(patient.launch(patient.order(host)).may_be_running);
}

TEST_CASE("an account that answers 0 to anything has launched and stopped nothing") {
  const fake_ssh ssh;
  ssh.first("echo welcome; exit 0");
  commander_rig rig;
  const auto host = far(rig.host("exit 0"));
  const auto result = rig.launch(rig.order(host));
  CHECK_FALSE(result.started);
  CHECK(result.reason == "the command ended well but did not do its work: welcome");
  CHECK_FALSE(rig.stop(host, result.process).stopped);
  CHECK_FALSE(rig.inspect(host, result.process).known);
}

TEST_CASE("what a login prints first does no harm") {
  const fake_ssh ssh;
  ssh.first("echo 'Welcome to far'; echo 'started 1 2 3'; echo beware >&2");
  commander_rig rig;
  const auto host = far(rig.host("echo 'pypto-router: log'; exec sleep 500"));
  const auto process = rig.started(rig.order(host));
  REQUIRE(in_time([&] { return rig.inspect(host, process).log == "pypto-router: log\n"; }));
  CHECK(rig.inspect(host, process).alive);
  CHECK(rig.stop(host, process).stopped);
}

TEST_CASE("stop_command runs over ssh where the replica runs") {
  const fake_ssh ssh;
  commander_rig rig;
  auto host = far(rig.host("exit 0"));
  host.stop_command = {
      "sh",    "-c", R"(printf '%s\n' "$@" >"$0/stop"; exit 5)", rig.dir.path(), "{slot} $x 'y'",
      "{port}"};
  const auto result = rig.stop(host, {.instance = rig.instance()});
  CHECK_FALSE(result.stopped);
  CHECK(result.reason == "ssh: exit status 5");
  CHECK(read_file(rig.dir.path() + "/stop") == "{slot} $x 'y'\n8001\n");
}

TEST_CASE("no ssh in PATH is a failed launch that says so") {
  const temp_dir empty;
  const scoped_variable path{"PATH", empty.path()};
  commander_rig rig;
  const auto result = rig.launch(rig.order(far(rig.host("exit 0"))));
  CHECK_FALSE(result.started);
  CHECK(result.reason == "ssh: exit status 127: cannot run ssh: No such file or directory");
}
