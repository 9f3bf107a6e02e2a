// SPDX-License-Identifier: MIT
// What --check and the start of the router ask of a valid fleet file.
#include "support/temp_file.hpp"

#include "fleet/config/fleet_file.hpp"

#include <doctest/doctest.h>

#include <string>

using fleet::fleet_spec;

namespace {

fleet_spec fleet_of(const std::string& text) {
  auto result = fleet::parse_fleet(text, "fleet.json");
  if (!result) {
    FAIL(result.error());
  }
  return *std::move(result);
}

fleet_spec with_key(const std::string& path) {
  return fleet_of(R"({"hosts": [{"devices": [0], "model": "m", "ssh": "far",
                                 "identity_file": ")" +
                  path + "\"}]}");
}

std::string failure_of(const std::optional<fleet::failure>& failure) {
  return failure ? failure->message : "";
}

}  // namespace

TEST_CASE("a tilde at the start of a path is the home directory, nothing else expands") {
  struct row {
    const char* path;
    const char* home;
    const char* expanded;
  };
  const row table[] = {
      {"~/.ssh/k", "/home/u", "/home/u/.ssh/k"},
      {"~", "/home/u", "/home/u"},
      {"~/k", "/home/u/", "/home/u/k"},
      {"~/k", "/", "/k"},
      {"~", "/", "/"},
      {"~other/k", "/home/u", "~other/k"},
      {"$HOME/.ssh/k", "/home/u", "$HOME/.ssh/k"},
      {"/a/~/k", "/home/u", "/a/~/k"},
      {"", "/home/u", ""},
  };
  for (const auto& [path, home, expanded] : table) {
    CHECK(fleet::expand_home(path, home) == expanded);
  }
}

TEST_CASE("an identity_file is expanded in place and must be readable") {
  const fleet::test::temp_file key("k");
  const auto slash = key.path().rfind('/');
  auto fleet = with_key("~" + key.path().substr(slash));
  CHECK(failure_of(fleet::resolve_local_files(fleet, "fleet.json", key.path().substr(0, slash))) ==
        "");
  CHECK(fleet.hosts[0].identity_file == key.path());

  auto missing = with_key("~/no such key");
  CHECK(failure_of(fleet::resolve_local_files(missing, "fleet.json", "/home/u")) ==
        "fleet.json: hosts[0].identity_file: /home/u/no such key: No such file or directory");
  auto directory = with_key("/");
  CHECK(failure_of(fleet::resolve_local_files(directory, "fleet.json", "/home/u")) ==
        "fleet.json: hosts[0].identity_file: /: Is a directory");
  auto homeless = with_key("~/k");
  CHECK(failure_of(fleet::resolve_local_files(homeless, "fleet.json", std::nullopt)) ==
        "fleet.json: hosts[0].identity_file: HOME is not set, so ~ means nothing");
}

TEST_CASE("a ca_file must be readable") {
  auto fleet = fleet_of(R"({"replicas": [{"host": "a", "port": 1, "scheme": "https",
                                          "ca_file": "/nonexistent/ca.pem"}]})");
  CHECK(failure_of(fleet::resolve_local_files(fleet, "fleet.json", "/home/u")) ==
        "fleet.json: replicas[0].ca_file: /nonexistent/ca.pem: No such file or directory");
}

TEST_CASE("--initial-replicas is 1 with hosts, else 0; --max-replicas lowers the ceiling only") {
  struct row {
    const char* fleet;
    std::optional<std::size_t> initial;
    std::optional<std::size_t> max;
    std::size_t expected_initial;
    std::size_t expected_ceiling;
  };
  const char* three = R"({"hosts": [{"devices": [0, 1, 2], "model": "m"}]})";
  const char* none = R"({"replicas": [{"host": "a", "port": 1}]})";
  const row table[] = {
      {three, {}, {}, 1, 3}, {three, 3, {}, 3, 3}, {three, 0, {}, 0, 3},
      {three, {}, 2, 1, 2},  {three, 2, 2, 2, 2},  {three, {}, 9, 1, 3},
      {three, {}, 0, 0, 0},  {none, {}, {}, 0, 0}, {none, 0, 4, 0, 0},
  };
  for (const auto& [text, initial, max, expected_initial, expected_ceiling] : table) {
    fleet::settings given;
    given.initial_replicas = initial;
    given.max_replicas = max;
    const auto limits = fleet::limits_of_pool(given, fleet_of(text));
    REQUIRE(limits.ok());
    CHECK(limits->initial == expected_initial);
    CHECK(limits->ceiling == expected_ceiling);
  }
}

TEST_CASE("--initial-replicas above the pool or the ceiling is a failure") {
  const auto fleet = fleet_of(R"({"hosts": [{"devices": [0, 1, 2], "model": "m"}]})");
  fleet::settings given;
  given.fleet_file = "fleet.json";
  given.initial_replicas = 4;
  CHECK(fleet::limits_of_pool(given, fleet).error() ==
        "--initial-replicas 4 is above the pool: fleet.json declares 3 slots");
  given.initial_replicas = 3;
  given.max_replicas = 2;
  CHECK(fleet::limits_of_pool(given, fleet).error() ==
        "--initial-replicas 3 is above the pool: fleet.json declares 3 slots and --max-replicas "
        "is 2");
}

TEST_CASE("--check prints replicas and slots as an aligned table without environment values") {
  const auto fleet = fleet_of(R"({
    "replicas": [{"name": "always-on", "host": "::1", "port": 9000, "scheme": "https"}],
    "hosts": [
      {"name": "n2", "ssh": "u@n2", "devices": [0, 1], "devices_per_replica": 2, "model": "/m q",
       "launch_wrapper": ["task-submit", "--run"], "serve_args": ["a\nb"]},
      {"name": "n1", "devices": [12], "model": "/m", "env": {"A": "hush", "B": "hush"},
       "serve_command": ["llama-server", "-m", "{model}"]}]})");
  CHECK(fleet::slot_table(fleet) ==
        "NAME       WHERE     DEVICES  ADDRESS             COMMAND\n"
        "always-on  static    -        https://[::1]:9000  -\n"
        "n1-d12     local     12       127.0.0.1:8013      A=... B=... llama-server -m /m\n"
        "n2-d0      ssh u@n2  0,1      n2:8001             task-submit --run 'pypto-serving "
        "--model '\\''/m q'\\'' --devices 0,1 --host 0.0.0.0 --port 8001 --show-startup-logs "
        "'\\''a?b'\\'''\n"
        "1 static replica, 2 slots\n");
}
