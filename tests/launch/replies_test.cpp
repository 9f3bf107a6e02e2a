// SPDX-License-Identifier: MIT
#include "replies.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace fleet;

TEST_CASE("a launch is started when the script says so and the command ended well") {
  const auto result = launch_reply(
      {.ran = true, .out = "hello\npypto-router: begun\npypto-router: started 12 345@boot 67\n"},
      "i");
  CHECK(result.started);
  CHECK(result.process == process_ref{"i", 12, "345@boot", 67});
  CHECK(result.reason.empty());
  CHECK_FALSE(result.may_be_running);
}

TEST_CASE("a launch that did not start may run all the same if it was cut off") {
  const std::string begun = "pypto-router: begun\n";
  const std::string started = begun + "pypto-router: started 12 345@boot 67\n";
  struct row {
    command_end end;
    bool may_be_running;
  };
  const row table[] = {
      {{.ran = false, .reason = "r"}, false},
      {{.ran = true, .how = {.code = 255}, .reason = "r"}, true},
      {{.ran = true, .how = {.code = 127}, .reason = "r"}, false},
      {{.ran = true, .how = {.code = 255}, .out = begun, .reason = "r"}, true},
      {{.ran = true, .how = {.code = 255}, .out = started, .reason = "r"}, true},
      {{.ran = true, .how = {.code = 1}, .out = begun, .reason = "r"}, false},
      {{.ran = true, .how = {.signal = SIGTERM}, .out = begun, .reason = "r"}, true},
      {{.ran = true, .how = {.signal = SIGTERM}, .reason = "r"}, true},
      {{.ran = true, .timed_out = true, .reason = "r"}, true},
      {{.ran = true, .timed_out = true, .out = begun, .reason = "r"}, true},
      {{.ran = true, .out = begun}, true},
  };
  for (const auto& [end, may_be_running] : table) {
    CAPTURE(end.out);
    const auto result = launch_reply(end, "i");
    CHECK_FALSE(result.started);
    CHECK_FALSE(result.reason.empty());
    CHECK(result.may_be_running == may_be_running);
    CHECK(result.process.instance == "i");
    CHECK(result.process.process_group == (end.out == started ? 12 : 0));
  }
}

TEST_CASE(
    "a launch of which ssh brought nothing may run unless ssh is known to have had no session") {
  const auto may_run = [](const std::string& err, int code = 255) {
    return launch_reply({.ran = true, .how = {.code = code}, .err = err, .reason = "r"}, "i")
        .may_be_running;
  };
  for (const auto* lost :
       {"", "\r\n", "Welcome to far.\n", "mux_client_request_session: read from master failed\r\n",
        "Connection closed by 192.0.2.1 port 22\r\n", "git: Permission denied (publickey).\n",
        "ssh: connect to host x port 22: Connection refused\nthe login goes on\n",
        "ssh: connect to host x port 22: Connection refused\n"
        "client_loop: send disconnect: Broken pipe\r\n",
        "client_loop: send disconnect: Broken pipe\r\n", "Timeout, server far not responding.\r\n",
        "Connection to far closed by remote host.\r\n",
        "Warning: Permanently added 'far'.\nRead from remote host far: Connection reset by peer"}) {
    CAPTURE(lost);
    CHECK(may_run(lost));
    CHECK_FALSE(may_run(lost, 1));
  }
  for (const auto* never_had :
       {"ssh: connect to host far port 22: Connection refused\r\n",
        "ssh: connect to host far port 22: Connection timed out\r\n",
        "ssh: connect to host far port 22: No route to host\r\n",
        "ssh: Could not resolve hostname far: Name or service not known\r\n",
        "Host key verification failed.\r\n", "u@far: Permission denied (publickey).\r\n",
        "Connection timed out during banner exchange\r\n"
        "Connection to 192.0.2.1 port 22 timed out\r\n",
        "command-line: line 0: Bad configuration option: nonsense\r\n",
        "/etc/ssh/ssh_config: line 3: Bad configuration option: nonsense\r\n"
        "/etc/ssh/ssh_config: terminating, 1 bad configuration options\r\n",
        "Unable to negotiate with 192.0.2.1 port 22: no matching cipher found.\r\n",
        "Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures\r\n"
        "Disconnected from 192.0.2.1 port 22\r\n",
        "ssh: connect to host jump port 22: No route to host\r\n"
        "kex_exchange_identification: Connection closed by remote host\r\n"
        "Connection closed by UNKNOWN port 65535\r\n",
        "kex_exchange_identification: read: Connection reset by peer\r\n"
        "Connection reset by 192.0.2.1 port 22\r\n"}) {
    CAPTURE(never_had);
    CHECK_FALSE(may_run(never_had));
  }
}

TEST_CASE("a launch answer that makes no sense is no start") {
  for (const auto* line : {"started", "started x y z", "started 1 2@b 3", "started -5 2@b 3",
                           "started 12 2@b", "startled 12 2@b 3"}) {
    CAPTURE(line);
    CHECK_FALSE(launch_reply({.ran = true, .out = "pypto-router: " + std::string(line) + "\n"}, "i")
                    .started);
  }
}

TEST_CASE("a built-in stop is one only if the script said so") {
  CHECK(stop_reply({.ran = true, .out = "x\npypto-router: stopped\n"}, true).stopped);
  const auto silent = stop_reply({.ran = true, .out = "x\n"}, true);
  CHECK_FALSE(silent.stopped);
  CHECK(silent.reason == "the command ended well but did not do its work: x");
  CHECK(stop_reply({.ran = true, .out = "x\n"}, false).stopped);
  for (const bool built_in : {true, false}) {
    const std::string out = "pypto-router: stopped\n";
    CHECK_FALSE(stop_reply({.ran = true, .how = {.code = 255}, .out = out, .reason = "r"}, built_in)
                    .stopped);
    CHECK_FALSE(
        stop_reply({.ran = true, .timed_out = true, .out = out, .reason = "r"}, built_in).stopped);
    CHECK(stop_reply({.reason = "r"}, built_in).reason == "r");
  }
}

TEST_CASE("a log that was cut begins with a whole line, if it has one") {
  const auto log_after = [](const std::string& lines, const std::string& log) {
    return read_log_reply({.ran = true,
                           .out = "pypto-router: size 99\n" + lines + "pypto-router: log\n" + log})
        .text;
  };
  CHECK(log_after("", "f line\nnext\n") == "f line\nnext\n");
  CHECK(log_after("pypto-router: cut\n", "f line\nnext\n") == "next\n");
  CHECK(log_after("pypto-router: cut\n", "one long line\n") == "one long line\n");
  CHECK(log_after("pypto-router: cut\n", "one long line") == "one long line");
  CHECK(log_after("", "\rshards 37%\rshards 50%") == "\nshards 37%\nshards 50%");
}

TEST_CASE("an inspection is known once the log part has begun; what the log says is only log") {
  auto look = inspect_reply({.ran = true,
                             .out = "pypto-router: alive\npypto-router: log\n"
                                    "pypto-router: exited 3\nend\n"});
  CHECK(look.known);
  CHECK(look.alive);
  CHECK_FALSE(look.ended);
  CHECK(look.log == "pypto-router: exited 3\nend\n");
  look = inspect_reply({.ran = true, .out = "pypto-router: exited 137\npypto-router: log\n"});
  CHECK(look.known);
  CHECK_FALSE(look.alive);
  CHECK(look.ended);
  CHECK(look.how == exit_status{.signal = SIGKILL});
  CHECK(inspect_reply({.ran = true, .out = "pypto-router: exited x\npypto-router: log\n"}).ended ==
        false);
  look = inspect_reply({.ran = true, .how = {.code = 255}, .reason = "r"});
  CHECK_FALSE(look.known);
  CHECK(look.reason == "r");
}
