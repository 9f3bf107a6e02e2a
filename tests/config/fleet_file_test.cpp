// SPDX-License-Identifier: MIT
#include "fleet/config/fleet_file.hpp"

#include "support/temp_file.hpp"

#include "fleet/core/command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using fleet::fleet_spec;
using words = std::vector<std::string>;

namespace {

fleet_spec accepted(std::string_view text) {
  auto result = fleet::parse_fleet(text, "fleet.json");
  if (!result) {
    FAIL(result.error());
  }
  return *std::move(result);
}

words slot_names(const fleet_spec& fleet) {
  words names;
  for (const auto& slot : fleet.slots) {
    names.push_back(slot.name);
  }
  return names;
}

constexpr const char* two_replicas = R"({
  "replicas": [
    {"name": "node0", "host": "127.0.0.1", "port": 8001},
    {"name": "node1", "host": "10.0.0.2", "port": 8001}
  ]
})";

constexpr const char* two_hosts = R"({
  "hosts": [
    {
      "name": "node01",
      "devices": [4],
      "port_base": 8001,
      "model": "/models/Qwen3-14B",
      "served_model_name": "qwen",
      "serve_args": ["--max-num-seqs", "16", "--block-size", "128", "--max-model-len", "1024"],
      "env": {"PYPTO_PROG_BUILD_DIR": "/scratch/build_d{device}"},
      "log_dir": "/scratch/router-logs"
    },
    {
      "name": "node02",
      "ssh": "user@node02",
      "identity_file": "~/.ssh/id_ed25519",
      "devices": [0, 1, 2, 3],
      "port_base": 8001,
      "model": "/weights/Qwen3-14B",
      "served_model_name": "qwen",
      "launch_wrapper": ["task-submit", "--device", "{device}", "--max-time", "0", "--run"]
    }
  ]
})";

}  // namespace

TEST_CASE("static replicas are read with their names and addresses") {
  const auto fleet = accepted(two_replicas);
  CHECK(fleet.replicas ==
        std::vector<fleet::replica_spec>{{"node0", {.host = "127.0.0.1", .port = 8001}},
                                         {"node1", {.host = "10.0.0.2", .port = 8001}}});
  CHECK(fleet.hosts.empty());
  CHECK(fleet.slots.empty());
  CHECK(fleet.warnings.empty());
}

TEST_CASE("a replica's name defaults to host:port, IPv6 in brackets, and its scheme to http") {
  const auto fleet = accepted(R"({"replicas": [
    {"host": "a.example", "port": 1}, {"host": "::1", "port": 2}, {"host": "[fe80::1]", "port": 3},
    {"host": "b", "port": 65535, "scheme": "https", "ca_file": "/etc/ca.pem"}]})");
  CHECK(fleet.replicas[0].name == "a.example:1");
  CHECK_FALSE(fleet.replicas[0].where.tls);
  CHECK(fleet.replicas[1].name == "[::1]:2");
  CHECK(fleet.replicas[2].name == "[fe80::1]:3");
  CHECK(fleet.replicas[2].where.host == "fe80::1");
  CHECK(fleet.replicas[3].where ==
        fleet::endpoint{.host = "b", .port = 65535, .tls = true, .ca_file = "/etc/ca.pem"});
}

TEST_CASE("the Qwen config has five slots: one on node01, four on node02") {
  const auto fleet = accepted(two_hosts);
  CHECK(slot_names(fleet) ==
        words{"node01-d4", "node02-d0", "node02-d1", "node02-d2", "node02-d3"});
  CHECK(fleet.slots[0] == fleet::slot_spec{"node01-d4", 0, {4}, 8005, "127.0.0.1"});
  CHECK(fleet.slots[2] == fleet::slot_spec{"node02-d1", 1, {1}, 8002, "node02"});
  const auto& host = fleet.hosts[0];
  CHECK(host.env ==
        std::vector<fleet::env_var>{{"PYPTO_PROG_BUILD_DIR", "/scratch/build_d{device}"}});
  CHECK(host.log_dir == "/scratch/router-logs");
  CHECK(host.serve_args.size() == 6);
  CHECK(fleet.hosts[1].identity_file == "~/.ssh/id_ed25519");
  CHECK(fleet.hosts[1].launch_wrapper.size() == 6);
}

TEST_CASE("a host entry gets the documented defaults") {
  const auto fleet = accepted(R"({"hosts": [{"devices": [0], "model": "m"},
    {"devices": [0], "model": "m", "ssh": "u@far"}]})");
  CHECK(fleet.hosts[0] == fleet::host_spec{.name = "host0", .devices = {0}, .model = "m"});
  CHECK(fleet.hosts[1] ==
        fleet::host_spec{
            .name = "host1", .ssh = "u@far", .address = "far", .devices = {0}, .model = "m"});
  CHECK(fleet.hosts[0].address == "127.0.0.1");
  CHECK(fleet.hosts[0].serve_command == words{"pypto-serving"});
  CHECK(fleet.hosts[0].port_base == 8001);
}

TEST_CASE("every key of a host entry is read") {
  const auto fleet = accepted(R"({"hosts": [{
    "name": "n", "ssh": "ssh://u@far:2222", "identity_file": "/k", "address": "10.1.1.1",
    "devices": [2, 3], "devices_per_replica": 2, "port_base": 9000, "model": "m",
    "served_model_name": "s", "serve_args": ["", "{\"a\":1}"], "python": "py",
    "env": {"B": "", "A": "x\ny"}, "launch_wrapper": ["w"], "stop_command": ["s"],
    "workdir": "/w", "log_dir": "logs"}]})");
  CHECK(fleet.hosts[0] == fleet::host_spec{.name = "n",
                                           .ssh = "ssh://u@far:2222",
                                           .identity_file = "/k",
                                           .address = "10.1.1.1",
                                           .devices = {2, 3},
                                           .devices_per_replica = 2,
                                           .port_base = 9000,
                                           .model = "m",
                                           .served_model_name = "s",
                                           .serve_args = {"", "{\"a\":1}"},
                                           .python = "py",
                                           .env = {{"B", ""}, {"A", "x\ny"}},
                                           .launch_wrapper = {"w"},
                                           .stop_command = {"s"},
                                           .workdir = "/w",
                                           .log_dir = "logs"});
}

TEST_CASE("other engines are launched by naming their whole command") {
  const auto fleet = accepted(R"({"hosts": [
    {"name": "vllm", "devices": [0, 1], "devices_per_replica": 2, "model": "Qwen/Qwen3-14B",
     "served_model_name": "qwen", "env": {"CUDA_VISIBLE_DEVICES": "{devices}"},
     "serve_command": ["vllm", "serve", "{model}", "--port", "{port}", "--served-model-name",
                       "{served_model_name}", "--tensor-parallel-size", "2"]},
    {"name": "sglang", "devices": [2], "model": "/m/qwen",
     "serve_command": ["python3", "-m", "sglang.launch_server", "--model-path", "{model}",
                       "--host", "0.0.0.0", "--port", "{port}", "--base-gpu-id", "{device}"]},
    {"name": "llama", "devices": [3], "model": "/m/qwen.gguf",
     "serve_command": ["llama-server", "-m", "{model}", "--host", "0.0.0.0", "--port={port}"]}]})");
  words lines;
  for (const auto& slot : fleet.slots) {
    std::string line;
    for (const auto& word : fleet::serving_command(fleet.hosts[slot.host], slot)) {
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  CHECK(lines ==
        words{"vllm serve Qwen/Qwen3-14B --port 8001 --served-model-name qwen "
              "--tensor-parallel-size 2",
              "python3 -m sglang.launch_server --model-path /m/qwen --host 0.0.0.0 --port 8003 "
              "--base-gpu-id 2",
              "llama-server -m /m/qwen.gguf --host 0.0.0.0 --port=8004"});
  CHECK(fleet::command_to_launch(fleet.hosts[0], fleet.slots[0]).env ==
        std::vector<fleet::env_var>{{"CUDA_VISIBLE_DEVICES", "0,1"}});
}

TEST_CASE("the example in docs is a valid fleet file") {
  const auto fleet = fleet::read_fleet_file(FLEET_SOURCE_DIR "/docs/fleet.example.json");
  if (!fleet) {
    FAIL(fleet.error());
  }
  CHECK(fleet->replicas.size() == 1);
  CHECK(slot_names(*fleet) == words{"node01-d0", "node01-d1", "node02-d0"});
  CHECK(fleet->warnings.empty());
}

TEST_CASE("what is allowed but odd is warned about") {
  const std::pair<const char*, const char*> table[] = {
      {R"({"replicas": [{"name": "r", "host": "a", "port": 1, "scheme": "https",
                         "insecure_skip_verify": true}]})",
       "fleet.json: replicas[0].insecure_skip_verify: anyone on the network may pose as r"},
      {R"({"hosts": [{"devices": [1], "model": "m", "ssh": "ssh://a@far:22"},
                     {"devices": [1], "model": "m", "ssh": "ssh://a@FAR:23", "port_base": 9000}]})",
       "fleet.json: hosts[1].devices: device 1 is given to hosts[0] of the same address, too"},
      {R"({"hosts": [{"devices": [1], "model": "m", "identity_file": "k"}]})",
       "fleet.json: hosts[0].identity_file: has no use without ssh"},
      {R"({"hosts": [{"devices": [1], "model": "m", "env": {"A": "{served_model_name}"}}]})",
       "fleet.json: hosts[0].served_model_name: is not given, so {served_model_name} is empty"},
  };
  for (const auto& [text, warning] : table) {
    CHECK(accepted(text).warnings == words{warning});
  }
  CHECK(accepted(R"({"hosts": [{"devices": [1], "model": "m", "ssh": "a"},
                               {"devices": [1], "model": "m", "ssh": "b"}]})")
            .warnings.empty());
}

TEST_CASE("a device that two hosts of one machine have is refused") {
  const auto error = [](const std::string& first, const std::string& second) {
    const auto fleet =
        fleet::parse_fleet(R"({"hosts": [{"devices": [1, 2], "model": "m")" + first + R"(},
                      {"devices": [0, 2], "model": "m", "port_base": 9000)" +
                               second + "}]}",
                           "fleet.json");
    return fleet ? "accepted" : fleet.error();
  };
  const auto refused =
      "fleet.json: hosts[1].devices: device 2 of the same machine is given to hosts[0], too";
  CHECK(error("", "") == refused);
  CHECK(error(R"(, "ssh": "a@far")", R"(, "ssh": "FAR")") == refused);
  CHECK(error(R"(, "ssh": "ssh://a@far:22")", R"(, "ssh": "ssh://b@far:22")") == refused);
  CHECK(error(R"(, "ssh": "far")", R"(, "ssh": "far.")") == refused);
  CHECK(error(R"(, "ssh": "far")", R"(, "ssh": "ssh://far:022")") == refused);
  CHECK(error(R"(, "ssh": "a@_gpu", "address": "g")", R"(, "ssh": "_gpu", "address": "h")") ==
        refused);
  for (const auto* here : {"localhost", "u@127.0.0.1", "ssh://[::1]", "127.0.1.1"})
    CHECK(error("", R"(, "ssh": ")" + std::string(here) + '"') == refused);
  for (const auto* elsewhere : {"far", "ssh://localhost:2222", "_gpu\", \"address\": \"far"})
    CHECK(error("", R"(, "ssh": ")" + std::string(elsewhere) + '"') == "accepted");
  CHECK(error(R"(, "ssh": "gpu+1", "address": "g1")", R"(, "ssh": "gpu+2", "address": "g2")") ==
        "accepted");
}

TEST_CASE("a file that is missing, unreadable or too large is named with the reason") {
  CHECK(fleet::read_fleet_file("/nonexistent/f.json").error() ==
        "/nonexistent/f.json: No such file or directory");
  CHECK(fleet::read_fleet_file("/").error() == "/: Is a directory");
  CHECK(fleet::read_fleet_file("/dev/zero").error() == "/dev/zero: larger than 16777216 bytes");
  const fleet::test::temp_file file("{\n  \"hosts\": [}\n");
  CHECK(fleet::read_fleet_file(file.path()).error() ==
        file.path() + ": line 2, column 13: syntax error");
}

TEST_CASE("every fleet file that the README shows is valid") {
  std::ifstream in{std::string{FLEET_SOURCE_DIR} + "/README.md"};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::size_t found = 0;
  for (auto at = text.find("{\"hosts\": ["); at != std::string::npos;
       at = text.find("{\"hosts\": [", at + 1)) {
    const auto end = std::min(text.find("\n\n", at), text.find("\n```", at));
    const auto file = text.substr(at, end - at);
    CAPTURE(file);
    const auto fleet = fleet::parse_fleet(file, "README.md");
    CHECK_MESSAGE(fleet.ok(), (fleet.ok() ? "" : fleet.error()));
    ++found;
  }
  CHECK(found == 3);
}
