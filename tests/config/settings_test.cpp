// SPDX-License-Identifier: MIT
#include "fleet/config/settings.hpp"

#include "flags.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using fleet::early_exit;
using fleet::settings;
using words = std::vector<std::string>;

namespace {

fleet::command_line parse_bare(const words& arguments,
                               const std::map<std::string, std::string>& environment = {}) {
  std::vector<const char*> argv{"pypto-serving-router"};
  for (const auto& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  return fleet::parse_command_line(
      static_cast<int>(argv.size()), argv.data(),
      [&](const char* name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
      });
}

fleet::command_line parse(words arguments,
                          const std::map<std::string, std::string>& environment = {}) {
  arguments.insert(arguments.begin(), {"--replicas", "fleet.json"});
  return parse_bare(arguments, environment);
}

settings accepted(const words& arguments,
                  const std::map<std::string, std::string>& environment = {}) {
  auto result = parse(arguments, environment);
  if (const auto* refused = std::get_if<early_exit>(&result)) {
    FAIL(refused->text);
  }
  return std::get<settings>(result);
}

/// The line that refuses these arguments; empty when they are accepted.
std::string refusal(const fleet::command_line& result) {
  const auto* refused = std::get_if<early_exit>(&result);
  if (refused == nullptr) {
    return {};
  }
  CHECK(refused->status == 2);
  CHECK(std::count(refused->text.begin(), refused->text.end(), '\n') == 1);
  CHECK(refused->text.ends_with('\n'));
  return refused->text;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("with only --replicas every setting has its documented default") {
  const auto s = accepted({});
  CHECK(s.fleet_file == "fleet.json");
  CHECK(s.host == "0.0.0.0");
  CHECK(s.port == 8000);
  CHECK(s.threads >= 1);
  CHECK(s.routing.session_ttl == 600s);
  CHECK(s.routing.max_sessions == 100'000);
  CHECK(s.routing.affinity_slack == 8);
  CHECK(s.routing.health_interval == 5s);
  CHECK(s.routing.connect_timeout == 5s);
  CHECK(s.request_timeout == 3600s);
  CHECK(s.max_body == 67'108'864);
  CHECK(s.max_bodies == 4'294'967'296);
  CHECK_FALSE(s.max_clients);
  CHECK(s.header_timeout == 30s);
  CHECK(s.client_timeout == 60s);
  CHECK(s.idle_timeout == 75s);
  CHECK_FALSE(s.initial_replicas);
  CHECK_FALSE(s.max_replicas);
  CHECK(s.launch_timeout == 600s);
  CHECK(s.drain_timeout == 300s);
  CHECK(s.stop_grace == 30s);
  CHECK(s.replace_after == 30s);
  CHECK(s.stable_after == 300s);
  CHECK(s.state_file.empty());
  CHECK(s.admin_token.empty());
  CHECK(s.level == fleet::log_level::info);
  CHECK(s.format == fleet::log_format::text);
  CHECK_FALSE(s.check);
}

TEST_CASE("every flag reaches its setting") {
  const auto s = accepted({"--host",   "::1",
                           "--port=0", "--threads",
                           "3",        "--session-ttl",
                           "0.5",      "--max-sessions",
                           "7",        "--affinity-slack",
                           "0",        "--health-interval",
                           "0.25",     "--request-timeout",
                           "9.5",      "--connect-timeout",
                           "1",        "--max-body",
                           "1000",     "--initial-replicas",
                           "2",        "--max-replicas",
                           "3",        "--launch-timeout",
                           "11",       "--drain-timeout",
                           "0",        "--stop-grace",
                           "1.5",      "--replace-after",
                           "2",        "--stable-after",
                           "4",        "--state-file",
                           "s.json",   "--admin-token",
                           "secret",   "--log-level",
                           "debug",    "--log-format",
                           "json",     "--max-clients",
                           "77",       "--header-timeout",
                           "5",        "--client-timeout",
                           "6",        "--idle-timeout",
                           "7.5",      "--max-bodies",
                           "5000",     "--check"});
  CHECK(s.host == "::1");
  CHECK(s.port == 0);
  CHECK(s.threads == 3);
  CHECK(s.routing.session_ttl == 500ms);
  CHECK(s.routing.max_sessions == 7);
  CHECK(s.routing.affinity_slack == 0);
  CHECK(s.routing.health_interval == 250ms);
  CHECK(s.request_timeout == 9500ms);
  CHECK(s.routing.connect_timeout == 1s);
  CHECK(s.max_body == 1000);
  CHECK(s.max_bodies == 5000);
  CHECK(s.max_clients == 77);
  CHECK(s.header_timeout == 5s);
  CHECK(s.client_timeout == 6s);
  CHECK(s.idle_timeout == 7500ms);
  CHECK(s.initial_replicas == 2);
  CHECK(s.max_replicas == 3);
  CHECK(s.launch_timeout == 11s);
  CHECK(s.drain_timeout == 0s);
  CHECK(s.stop_grace == 1500ms);
  CHECK(s.replace_after == 2s);
  CHECK(s.stable_after == 4s);
  CHECK(s.state_file == "s.json");
  CHECK(s.admin_token == "secret");
  CHECK(s.level == fleet::log_level::debug);
  CHECK(s.format == fleet::log_format::json);
  CHECK(s.check);
}

TEST_CASE("--replace-after is floored at two health intervals") {
  CHECK(accepted({"--health-interval", "20"}).replace_after == 40s);
  CHECK(accepted({"--health-interval", "15"}).replace_after == 30s);
  CHECK(accepted({"--replace-after", "0"}).replace_after == 10s);
}

TEST_CASE("a number out of range is refused with flag, value and accepted range") {
  struct row {
    const char* flag;
    const char* value;
    const char* range;
  };
  const row table[] = {
      {"--port", "65536", "a whole number from 0 to 65535"},
      {"--port", "-1", "a whole number from 0 to 65535"},
      {"--threads", "0", "a whole number from 1 to 1024"},
      {"--max-sessions", "0", "a whole number from 1 to 1000000000"},
      {"--max-body", "0", "a whole number from 1 to 1125899906842624"},
      {"--max-clients", "0", "a whole number from 1 to 1000000000"},
      {"--header-timeout", "0", "seconds from 0.001 to 1000000000, fractions allowed"},
      {"--client-timeout", "0", "seconds from 0.001 to 1000000000, fractions allowed"},
      {"--idle-timeout", "-1", "seconds from 0.001 to 1000000000, fractions allowed"},
      {"--affinity-slack", "-8", "a whole number from 0 to 1000000000"},
      {"--initial-replicas", "99999999999999999999", "a whole number from 0 to 1000000000"},
      {"--max-replicas", "18446744073709551616", "a whole number from 0 to 1000000000"},
      {"--session-ttl", "0", "seconds from 0.001 to 1000000000, fractions allowed"},
      {"--health-interval", "0.001", "seconds from 0.01 to 1000000000, fractions allowed"},
      {"--drain-timeout", "-0.1", "seconds from 0 to 1000000000, fractions allowed"},
      {"--request-timeout", "1000000001", "seconds from 0.001 to 1000000000, fractions allowed"},
  };
  for (const auto& [flag, value, range] : table) {
    CHECK(refusal(parse({flag, value})) == std::string("pypto-serving-router: ") + flag + " '" +
                                               value + "': expected " + range + "\n");
  }
}

TEST_CASE("what is not a plain decimal number is refused for every numeric flag") {
  const words whole{"--port",           "--threads",     "--max-sessions",
                    "--affinity-slack", "--max-body",    "--initial-replicas",
                    "--max-replicas",   "--max-clients", "--max-bodies"};
  const words seconds{"--session-ttl",     "--health-interval", "--request-timeout",
                      "--connect-timeout", "--launch-timeout",  "--drain-timeout",
                      "--stop-grace",      "--replace-after",   "--stable-after",
                      "--header-timeout",  "--client-timeout",  "--idle-timeout"};
  const words junk{"",    " ",   "x",    "1x",       " 1",  "1 ",    "+1", "0x10", "1e3",     "nan",
                   "NaN", "inf", "-inf", "infinity", "1,5", "1.2.3", "--", "1s",   "\xc2\xb2"};
  auto check = [](const std::string& flag, const std::string& value) {
    CAPTURE(flag);
    CAPTURE(value);
    CHECK(contains(refusal(parse({flag, value})), flag));
  };
  for (const auto& value : junk) {
    for (const auto& flag : whole) {
      check(flag, value);
    }
    for (const auto& flag : seconds) {
      check(flag, value);
    }
  }
  for (const auto& flag : whole) {
    check(flag, "1.5");
  }
  for (const auto& flag : seconds) {
    check(flag, "1" + std::string(400, '0'));
  }
}

TEST_CASE("words that are not numbers are checked, too") {
  const std::pair<words, const char*> table[] = {
      {{"--host", "localhost"}, "--host 'localhost': expected an IPv4 or IPv6 address"},
      {{"--host", ""}, "--host ''"},
      {{"--host", "1.2.3.4:80"}, "--host"},
      {{"--log-level", "INFO"}, "--log-level 'INFO': expected debug, info, warn or error"},
      {{"--log-format", "xml"}, "--log-format 'xml': expected text or json"},
      {{"--state-file", ""}, "--state-file '': expected a path"},
  };
  for (const auto& [arguments, part] : table) {
    const auto line = refusal(parse(arguments));
    CAPTURE(line);
    CHECK(contains(line, part));
  }
  CHECK(accepted({"--host", "[::1]"}).host == "::1");
}

TEST_CASE("unknown flags, guesses, stray words and repeated flags are refused") {
  const std::pair<words, const char*> table[] = {
      {{"--bogus"}, "--bogus: unknown flag"},
      {{"--bogus=1"}, "--bogus: unknown flag"},
      {{"--bogus", "1"}, "--bogus: unknown flag"},
      {{"--por", "1"}, "--por: unknown flag"},
      {{"--PORT", "1"}, "--PORT: unknown flag"},
      {{"stray"}, "unexpected argument 'stray'"},
      {{"--check", "stray"}, "unexpected argument 'stray'"},
      {{"--", "--check"}, "unexpected argument"},
      {{"-p", "80"}, "unexpected argument '-p'"},
      {{""}, "unexpected argument ''"},
      {{"--port"}, "--port: expected a value"},
      {{"--port", "--check"}, "--port: expected a value"},
      {{"--port="}, "--port: expected a value"},
      {{"--check=yes"}, "--check: takes no value"},
      {{"--port", "1", "--port", "1"}, "--port: given twice"},
      {{"--check", "--check"}, "--check: given twice"},
      {{"--replicas", "other.json"}, "--replicas: given twice"},
      {{"--port", "8\n9"}, "--port '8\\x0a9'"},
  };
  for (const auto& [arguments, part] : table) {
    const auto line = refusal(parse(arguments));
    CAPTURE(line);
    CHECK(contains(line, part));
  }
}

TEST_CASE("the access log is no file that is used for something else") {
  for (const std::string log :
       {"fleet.json", "./fleet.json", "none/../state", "state.new", "state.lock"}) {
    const auto line = refusal(parse({"--state-file", "state", "--access-log", log}));
    CAPTURE(line);
    CHECK(contains(line, "--access-log '" + log + "': expected a file of its own"));
    CHECK(contains(line, log.find("state") != std::string::npos ? "--state-file" : "--replicas"));
  }
  CHECK(refusal(parse({"--state-file", "-", "--access-log", "-"})).empty());
  CHECK(refusal(parse({"--state-file", "state", "--access-log", "state.log"})).empty());
}

TEST_CASE("--replicas is required") {
  CHECK(contains(refusal(parse_bare({})), "--replicas"));
  CHECK(contains(refusal(parse_bare({"--replicas", ""})), "--replicas"));
  CHECK(contains(refusal(parse_bare({"--check"})), "--replicas"));
}

TEST_CASE("no argument vector at all is a usage error") {
  CHECK(contains(refusal(fleet::parse_command_line(0, nullptr, {})), "--replicas"));
}

TEST_CASE("--help lists each flag with default and meaning, and exits with 0") {
  const auto result = parse_bare({"--help"});
  REQUIRE(std::holds_alternative<early_exit>(result));
  const auto& [status, text] = std::get<early_exit>(result);
  CHECK(status == 0);
  for (const auto& row : fleet::all_flags()) {
    CAPTURE(row.name);
    CHECK(contains(text, "--" + row.name + (row.argument.empty() ? "" : " " + row.argument)));
    CHECK(contains(text, row.meaning.substr(0, 20)));
    CHECK(contains(text, row.fallback));
  }
  CHECK(contains(text, "PYPTO_ROUTER_ADMIN_TOKEN"));
}

TEST_CASE("--version names the program and its version, and exits with 0") {
  const auto result = parse_bare({"--version"});
  REQUIRE(std::holds_alternative<early_exit>(result));
  CHECK(std::get<early_exit>(result).status == 0);
  CHECK(std::get<early_exit>(result).text == "pypto-serving-router " + fleet::version() + "\n");
}
