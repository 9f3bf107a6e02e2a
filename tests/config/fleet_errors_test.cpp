// SPDX-License-Identifier: MIT
#include "fleet/config/fleet_file.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

struct row {
  std::string text;
  std::string error;
};

std::string error_of(const std::string& text) {
  const auto result = fleet::parse_fleet(text, "fleet.json");
  return result.ok() ? "accepted" : result.error();
}

/// A file whose one host has these members besides what is required.
std::string host_with(const std::string& members) {
  return R"({"hosts": [{"devices": [0, 1], "model": "m")" +
         (members.empty() ? "" : ", " + members) + "}]}";
}

std::string replica_with(const std::string& members) {
  return R"({"replicas": [{"host": "a", "port": 1)" + (members.empty() ? "" : ", " + members) +
         "}]}";
}

std::string devices(const std::string& list, const std::string& members = "") {
  return R"({"hosts": [{"model": "m", "devices": )" + list +
         (members.empty() ? "" : ", " + members) + "}]}";
}

}  // namespace

TEST_CASE("the document is an object with at least one entry in all and no unknown key") {
  const row table[] = {
      {"[]", "fleet.json: expected an object, not a list"},
      {"null", "fleet.json: expected an object, not null"},
      {"{}", "fleet.json: expected at least one entry in replicas or hosts"},
      {R"({"replicas": [], "hosts": []})",
       "fleet.json: expected at least one entry in replicas or hosts"},
      {R"({"replica": []})", "fleet.json: replica: unknown key"},
      {R"({"replicas": {}})", "fleet.json: replicas: expected a list, not an object"},
      {R"({"hosts": null})", "fleet.json: hosts: expected a list, not null"},
      {R"({"hosts": [7]})", "fleet.json: hosts[0]: expected an object, not 7"},
      {R"({"replicas": ["a:1"]})", "fleet.json: replicas[0]: expected an object, not a string"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("a replica entry is refused with its index and key") {
  const std::string port = "fleet.json: replicas[0].port: expected a whole number from 1 to 65535";
  const std::string host =
      "fleet.json: replicas[0].host: expected a host name or an IP address, without scheme and "
      "port";
  const row table[] = {
      {R"({"replicas": [{"port": 1}]})", "fleet.json: replicas[0].host: is required"},
      {R"({"replicas": [{"host": "a"}]})", "fleet.json: replicas[0].port: is required"},
      {R"({"replicas": [{"host": "a", "prot": 1}]})", "fleet.json: replicas[0].prot: unknown key"},
      {R"({"replicas": [{"host": "a", "port": "1"}]})", port + ", not a string"},
      {R"({"replicas": [{"host": "a", "port": 0}]})", port + ", not 0"},
      {R"({"replicas": [{"host": "a", "port": -1}]})", port + ", not -1"},
      {R"({"replicas": [{"host": "a", "port": 65536}]})", port + ", not 65536"},
      {R"({"replicas": [{"host": "a", "port": 1.5}]})", port + ", not 1.5"},
      {R"({"replicas": [{"host": "a", "port": 99999999999999999999}]})", port + ", not 1e+20"},
      {R"({"replicas": [{"host": "a", "port": 18446744073709551615}]})",
       port + ", not 18446744073709551615"},
      {R"({"replicas": [{"host": "a", "port": true}]})", port + ", not true"},
      {R"({"replicas": [{"host": "", "port": 1}]})",
       "fleet.json: replicas[0].host: must not be empty"},
      {R"({"replicas": [{"host": 1, "port": 1}]})",
       "fleet.json: replicas[0].host: expected a string, not 1"},
      {R"({"replicas": [{"host": "http://a", "port": 1}]})", host},
      {R"({"replicas": [{"host": "a:80", "port": 1}]})", host},
      {R"({"replicas": [{"host": "a b", "port": 1}]})", host},
      {R"({"replicas": [{"host": "a\u0000b", "port": 1}]})",
       "fleet.json: replicas[0].host: must not hold a NUL character"},
      {replica_with(R"("scheme": "ftp")"),
       "fleet.json: replicas[0].scheme: expected http or https"},
      {replica_with(R"("ca_file": "/ca")"),
       R"(fleet.json: replicas[0].ca_file: needs "scheme": "https")"},
      {replica_with(R"("insecure_skip_verify": true)"),
       R"(fleet.json: replicas[0].insecure_skip_verify: needs "scheme": "https")"},
      {replica_with(R"("insecure_skip_verify": "yes")"),
       "fleet.json: replicas[0].insecure_skip_verify: expected true or false, not a string"},
      {replica_with(R"("host": "b")"), "fleet.json: replicas[0].host: given twice"},
      {replica_with(""), "accepted"},
      {replica_with(R"("insecure_skip_verify": false)"), "accepted"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("a name fits a URL path segment and a log file's name") {
  for (const auto* name : {"a", "node0", "A_b.c-d:9", "[::1]:8001", "_x", "9"}) {
    CAPTURE(name);
    CHECK(error_of(replica_with("\"name\": \"" + std::string(name) + "\"")) == "accepted");
    CHECK(error_of(host_with("\"name\": \"" + std::string(name) + "\"")) == "accepted");
  }
  const std::string too_long(101, 'a');
  for (const std::string name : {".", "..", ".a", "-a", "a/b", "a b", "a\\u000ab", "a%", "a?", "a#",
                                 "\xc3\xa4", "~", too_long.c_str()}) {
    CAPTURE(name);
    const auto refused =
        ".name: expected 1 to 100 of A-Z a-z 0-9 . _ : [ ] - beginning with a "
        "letter, a digit, _ or [";
    CHECK(error_of(replica_with("\"name\": \"" + name + "\"")) ==
          std::string("fleet.json: replicas[0]") + refused);
    CHECK(error_of(host_with("\"name\": \"" + name + "\"")) ==
          std::string("fleet.json: hosts[0]") + refused);
  }
  CHECK(error_of(host_with(R"("name": "")")) == "fleet.json: hosts[0].name: must not be empty");
}

TEST_CASE("devices are a non-empty list of distinct ids, a whole multiple of the slot size") {
  const std::string id = "expected a whole number from 0 to 65534, not ";
  const row table[] = {
      {R"({"hosts": [{"model": "m"}]})", "fleet.json: hosts[0].devices: is required"},
      {devices("[]"), "fleet.json: hosts[0].devices: must not be empty"},
      {devices("4"), "fleet.json: hosts[0].devices: expected a list, not 4"},
      {devices("[0, -1]"), "fleet.json: hosts[0].devices[1]: " + id + "-1"},
      {devices("[65535]"), "fleet.json: hosts[0].devices[0]: " + id + "65535"},
      {devices("[\"0\"]"), "fleet.json: hosts[0].devices[0]: " + id + "a string"},
      {devices("[0, 1, 0]"), "fleet.json: hosts[0].devices: device 0 is listed twice"},
      {devices("[0, 1, 2, 3, 4, 5]", R"("devices_per_replica": 8)"),
       "fleet.json: hosts[0].devices: 6 devices are not a multiple of devices_per_replica=8"},
      {devices("[0]", R"("devices_per_replica": 2)"),
       "fleet.json: hosts[0].devices: 1 device is not a multiple of devices_per_replica=2"},
      {devices("[0]", R"("devices_per_replica": 0)"),
       "fleet.json: hosts[0].devices_per_replica: expected a whole number from 1 to 65535, not 0"},
      {devices("[0]", R"("port_base": 0)"),
       "fleet.json: hosts[0].port_base: expected a whole number from 1 to 65535, not 0"},
      {devices("[1, 536]", R"("port_base": 65000)"),
       "fleet.json: hosts[0].port_base: 65000 + device 536 is above port 65535"},
      {devices("[535]", R"("port_base": 65000)"), "accepted"},
      {devices("[0, 60000]", R"("port_base": 65000, "devices_per_replica": 2)"), "accepted"},
      {R"({"hosts": [{"devices": [0], "model": "m"},
                     {"devices": [0, 1, 2, 3, 4, 5], "model": "m", "devices_per_replica": 8}]})",
       "fleet.json: hosts[1].devices: 6 devices are not a multiple of devices_per_replica=8"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("a host entry is refused with its index and key") {
  const std::string ssh =
      "fleet.json: hosts[0].ssh: expected host, user@host or "
      "ssh://user@host:port with a port from 1 to 65535";
  const row table[] = {
      {R"({"hosts": [{"devices": [0]}]})", "fleet.json: hosts[0].model: is required"},
      {R"({"hosts": [{"devices": [0], "modle": "m"}]})", "fleet.json: hosts[0].modle: unknown key"},
      {R"({"hosts": [{"devices": [0], "model": ""}]})",
       "fleet.json: hosts[0].model: must not be empty"},
      {host_with(R"("ssh": "")"), "fleet.json: hosts[0].ssh: must not be empty"},
      {host_with(R"("ssh": "-oProxyCommand=id")"), ssh},
      {host_with(R"("ssh": "u@h:22")"), ssh},
      {host_with(R"("ssh": "u@h:22", "address": "10.0.0.1")"), ssh},
      {host_with(R"("ssh": "ssh://h:99999")"), ssh},
      {host_with(R"("ssh": "ssh://u@h:0", "address": "10.0.0.1")"), ssh},
      {host_with(R"("ssh": "-x", "address": "10.0.0.1")"), ssh},
      {host_with(R"("ssh": "rack+1")"),
       "fleet.json: hosts[0].ssh: a name that only ssh can resolve needs \"address\" beside it"},
      {host_with(R"("ssh": "u@_gpu", "address": "10.0.0.1")"), "accepted"},
      {host_with(R"("address": "10.0.0.1:80")"),
       "fleet.json: hosts[0].address: expected a host name or an IP address, without scheme and "
       "port"},
      {host_with(R"("serve_args": "--x")"),
       "fleet.json: hosts[0].serve_args: expected a list, not a string"},
      {host_with(R"("serve_args": ["--x", 16])"),
       "fleet.json: hosts[0].serve_args[1]: expected a string, not 16"},
      {host_with(R"("serve_args": ["a\u0000"])"),
       "fleet.json: hosts[0].serve_args[0]: must not hold a NUL character"},
      {host_with(R"("serve_command": [])"),
       "fleet.json: hosts[0].serve_command: must not be empty"},
      {host_with(R"("serve_command": [""])"),
       "fleet.json: hosts[0].serve_command: the first word names a program and must not be empty"},
      {host_with(R"("launch_wrapper": ["", "x"])"),
       "fleet.json: hosts[0].launch_wrapper: the first word names a program and must not be empty"},
      {host_with(R"("python": "py", "serve_command": ["x"])"),
       "fleet.json: hosts[0].python: does not go with serve_command: both name the program"},
      {host_with(R"("python": null)"), "fleet.json: hosts[0].python: expected a string, not null"},
      {host_with(R"("stop_command": "kill")"),
       "fleet.json: hosts[0].stop_command: expected a list, not a string"},
      {host_with(R"("workdir": "")"), "fleet.json: hosts[0].workdir: must not be empty"},
      {host_with(R"("log_dir": 1)"), "fleet.json: hosts[0].log_dir: expected a string, not 1"},
      {host_with(R"("served_model_name": [])"),
       "fleet.json: hosts[0].served_model_name: expected a string, not a list"},
      {host_with(""), "accepted"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("an environment variable has a proper name, and its value is never quoted") {
  const row table[] = {
      {host_with(R"("env": [])"), "fleet.json: hosts[0].env: expected an object, not a list"},
      {host_with(R"("env": {"A": 1})"), "fleet.json: hosts[0].env.A: expected a string, not 1"},
      {host_with(R"("env": {"A": ["hush"]})"),
       "fleet.json: hosts[0].env.A: expected a string, not a list"},
      {host_with(R"("env": {"A": "hu\u0000sh"})"),
       "fleet.json: hosts[0].env.A: must not hold a NUL character"},
      {host_with(R"("env": {"A=B": "hush"})"),
       "fleet.json: hosts[0].env.A=B: expected a name of A-Z a-z 0-9 _ that does not begin with a "
       "digit"},
      {host_with(R"("env": {"9": "hush"})"),
       "fleet.json: hosts[0].env.9: expected a name of A-Z a-z 0-9 _ that does not begin with a "
       "digit"},
      {host_with(R"("env": {"A\nB": "hush"})"),
       "fleet.json: hosts[0].env.A\\x0aB: expected a name of A-Z a-z 0-9 _ that does not begin "
       "with a digit"},
      {host_with(R"("env": {"PYPTO_ROUTER_INSTANCE": "x"})"),
       "fleet.json: hosts[0].env.PYPTO_ROUTER_INSTANCE: is set by the router itself"},
      {host_with(R"("env": {"A": "1", "A": "2"})"), "fleet.json: hosts[0].env.A: given twice"},
      {host_with(R"("env": {"a_B9": "", "_": "{\"x\": 1}"})"), "accepted"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("key material in identity_file is refused and not repeated") {
  for (const std::string key : {"-----BEGIN OPENSSH PRIVATE KEY-----\\nhush", "x PRIVATE KEY hush",
                                "a\\nhush", "ssh-ed25519 AAAAhush", "AAAAB3NzaC1yc2Ehush",
                                "b3BlbnNzaC1rZXktdjEhush", "PuTTY-User-Key-File-3: hush"}) {
    CHECK(error_of(host_with(R"("ssh": "far", "identity_file": ")" + key + "\"")) ==
          "fleet.json: hosts[0].identity_file: expected the path of a private key, not a key");
  }
  for (const std::string path :
       {"~/.ssh/k", "$HOME/.ssh/k", "/a path/with a blank", "ssh-keys/id"}) {
    CHECK(error_of(host_with(R"("ssh": "far", "identity_file": ")" + path + "\"")) == "accepted");
  }
}

TEST_CASE("no two replicas, slots or hosts share a name") {
  const row table[] = {
      {R"({"replicas": [{"name": "x", "host": "a", "port": 1},
                        {"name": "x", "host": "b", "port": 1}]})",
       "fleet.json: replicas[1].name: replicas[0] is called x, too"},
      {R"({"replicas": [{"name": "b:1", "host": "a", "port": 1}, {"host": "b", "port": 1}]})",
       "fleet.json: replicas[1].name: replicas[0] is called b:1, too"},
      {R"({"replicas": [{"name": "host0-d0", "host": "a", "port": 1}],
           "hosts": [{"devices": [0], "model": "m"}]})",
       "fleet.json: hosts[0].name: replicas[0] is called host0-d0, too"},
      {R"({"hosts": [{"name": "n", "devices": [0], "model": "m"},
                     {"name": "n", "devices": [1], "model": "m"}]})",
       "fleet.json: hosts[1].name: hosts[0] is called n, too"},
      {R"({"hosts": [{"name": "host1", "devices": [0], "model": "m"},
                     {"devices": [1], "model": "m"}]})",
       "fleet.json: hosts[1].name: hosts[0] is called host1, too"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("two slots, or a slot and a static replica, on one address and port are refused") {
  const row table[] = {
      {R"({"replicas": [{"name": "x", "host": "a", "port": 1},
                        {"name": "y", "host": "A", "port": 1}]})",
       "fleet.json: replicas[1].port: replicas[1] and replicas[0] are both at A:1"},
      {R"({"replicas": [{"host": "localhost", "port": 8001}],
           "hosts": [{"devices": [0], "model": "m"}]})",
       "fleet.json: hosts[0].port_base: slot host0-d0 and replicas[0] are both at 127.0.0.1:8001"},
      {R"({"hosts": [{"devices": [1], "model": "m"},
                     {"devices": [0], "model": "m", "port_base": 8002}]})",
       "fleet.json: hosts[1].port_base: slot host1-d0 and slot host0-d1 are both at "
       "127.0.0.1:8002"},
      {R"({"hosts": [{"devices": [0], "model": "m", "ssh": "u@far"},
                     {"devices": [0], "model": "m", "ssh": "v@far"}]})",
       "fleet.json: hosts[1].port_base: slot host1-d0 and slot host0-d0 are both at far:8001"},
      {R"({"replicas": [{"host": "0:0::1", "port": 8001}],
           "hosts": [{"devices": [0], "model": "m", "address": "::1"}]})",
       "fleet.json: hosts[0].port_base: slot host0-d0 and replicas[0] are both at [::1]:8001"},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("a list with absurdly many entries is refused before they are read") {
  std::string list = "[0";
  for (int i = 1; i <= 65535; ++i) {
    list += ",0";
  }
  CHECK(error_of(devices(list + "]")) == "fleet.json: hosts[0].devices: longer than 65535 entries");
}

TEST_CASE("a file with absurdly many slots is refused before they are laid out") {
  std::string text = R"({"hosts": [{"model": "m", "port_base": 1, "devices": [0)";
  for (int device = 1; device <= 10'000; ++device) {
    text += "," + std::to_string(device);
  }
  CHECK(error_of(text + "]}]}") == "fleet.json: 10001 replicas and slots are more than 10000");
}

TEST_CASE("a key is quoted without control characters, those beyond ASCII included") {
  CHECK(error_of("{\"a\\u001b\xc2\x9b\xc3\xa9\": 1}") ==
        "fleet.json: a\\x1b\\xc2\\x9b\xc3\xa9: unknown key");
}
