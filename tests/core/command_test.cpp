// SPDX-License-Identifier: MIT
#include "fleet/core/command.hpp"

#include "fleet/core/shell_quote.hpp"

#include <doctest/doctest.h>

using fleet::host_spec;
using words = std::vector<std::string>;

namespace {

const fleet::slot_spec slot{
    .name = "node01-d0", .host = 0, .devices = {0, 1}, .port = 8001, .address = "127.0.0.1"};

host_spec qwen() {
  return {.name = "node01", .devices = {0, 1}, .model = "/models/Qwen3-14B"};
}

const words standard{
    "pypto-serving", "--model", "/models/Qwen3-14B",  "--devices", "0,1", "--host", "0.0.0.0",
    "--port",        "8001",    "--show-startup-logs"};

words with(words base, const words& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

}  // namespace

TEST_CASE("the standard command names model, devices, port and asks for the startup log") {
  CHECK(fleet::serving_command(qwen(), slot) == standard);
}

TEST_CASE("the served model name and serve_args follow the standard arguments") {
  auto host = qwen();
  host.served_model_name = "qwen";
  host.serve_args = {"--max-num-seqs", "16", R"({"a":1})", "{{device}}",
                     "{port}-{port}",  "",   "{unknown}"};
  CHECK(fleet::serving_command(host, slot) ==
        with(standard, {"--served-model-name", "qwen", "--max-num-seqs", "16", R"({"a":1})", "{0}",
                        "8001-8001", "", "{unknown}"}));
}

TEST_CASE("python runs the module instead of the program") {
  auto host = qwen();
  host.python = "/venv/bin/python";
  auto expected = standard;
  expected.erase(expected.begin());
  CHECK(fleet::serving_command(host, slot) ==
        with({"/venv/bin/python", "-m", "pypto_serving.cli"}, expected));
}

TEST_CASE("a serve_command without placeholders is the program only") {
  auto host = qwen();
  host.serve_command = {"numactl", "-N", "{device}", "pypto-serving"};
  CHECK(fleet::serving_command(host, slot) == with({"numactl", "-N", "0"}, standard));
}

TEST_CASE("a serve_command with {model}, {port} or {devices} is the whole command") {
  const std::pair<words, words> table[] = {
      {{"vllm", "serve", "{model}", "--port={port}", "--served-model-name", "{served_model_name}"},
       {"vllm", "serve", "/models/Qwen3-14B", "--port=8001", "--served-model-name", "qwen"}},
      {{"python3", "-m", "sglang.launch_server", "--model-path", "{model}", "--host", "0.0.0.0",
        "--port", "{port}", "--base-gpu-id", "{device}"},
       {"python3", "-m", "sglang.launch_server", "--model-path", "/models/Qwen3-14B", "--host",
        "0.0.0.0", "--port", "8001", "--base-gpu-id", "0"}},
      {{"llama-server", "-m", "{model}", "--port", "{port}"},
       {"llama-server", "-m", "/models/Qwen3-14B", "--port", "8001"}},
      {{"run", "{devices}"}, {"run", "0,1"}},
      {{"run-{model}"}, {"run-/models/Qwen3-14B"}},
  };
  for (const auto& [command, expanded] : table) {
    auto host = qwen();
    host.served_model_name = "qwen";
    host.serve_command = command;
    CHECK(fleet::serving_command(host, slot) == expanded);
    host.serve_args = {"--extra", "{device}"};
    CHECK(fleet::serving_command(host, slot) == with(expanded, {"--extra", "0"}));
  }
}

TEST_CASE("the launch wrapper gets the serving command as one shell-quoted argument") {
  auto host = qwen();
  host.serve_args = {"it's", "a b"};
  host.launch_wrapper = {"task-submit", "--device", "{device}", "--max-time", "0", "--run"};
  const auto launch = fleet::command_to_launch(host, slot);
  REQUIRE(launch.argv.size() == 7);
  CHECK(words(launch.argv.begin(), launch.argv.end() - 1) ==
        words{"task-submit", "--device", "0", "--max-time", "0", "--run"});
  CHECK(launch.argv.back() == fleet::shell_quote(fleet::serving_command(host, slot)));
}

TEST_CASE("without a wrapper the serving command runs directly") {
  const auto launch = fleet::command_to_launch(qwen(), slot);
  CHECK(launch.argv == standard);
  CHECK(launch.env.empty());
  CHECK(launch.workdir.empty());
  CHECK(launch.log_path == "/tmp/pypto-serving-router/node01-d0.log");
}

TEST_CASE("env values, workdir, log_dir and stop_command expand per slot") {
  auto host = qwen();
  host.env = {{"PYPTO_PROG_BUILD_DIR", "/scratch/build_d{device}"}, {"A", "{\"b\":1}"}};
  host.workdir = "/srv/{port}";
  host.log_dir = "/logs/{devices}/";
  host.stop_command = {"task-cancel", "--port", "{port}", "{model}"};
  const auto launch = fleet::command_to_launch(host, slot);
  CHECK(launch.env == std::vector<fleet::env_var>{{"PYPTO_PROG_BUILD_DIR", "/scratch/build_d0"},
                                                  {"A", "{\"b\":1}"}});
  CHECK(launch.workdir == "/srv/8001");
  CHECK(launch.log_path == "/logs/0,1/node01-d0.log");
  CHECK(fleet::command_to_stop(host, slot) ==
        words{"task-cancel", "--port", "8001", "/models/Qwen3-14B"});
  CHECK(fleet::command_to_stop(qwen(), slot).empty());
}
