// SPDX-License-Identifier: MIT
#include "fleet/core/command.hpp"

#include "fleet/core/placeholders.hpp"
#include "fleet/core/shell_quote.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace fleet {

namespace {

using words = std::vector<std::string>;

// {device} alone does not make a whole command: a prefix such as `numactl -N {device}` may use it.
bool is_whole_command(const words& command) {
  constexpr std::array<std::string_view, 3> telling{"{model}", "{port}", "{devices}"};
  return std::any_of(command.begin(), command.end(), [&](const std::string& word) {
    return std::any_of(telling.begin(), telling.end(),
                       [&](std::string_view name) { return word.find(name) != std::string::npos; });
  });
}

void append_expanded(words& to, const words& from, const placeholder_values& values) {
  for (const auto& word : from) {
    to.push_back(expand(word, values));
  }
}

words standard_arguments(const host_spec& host, const placeholder_values& values) {
  words arguments{"--model", host.model, "--devices", values.devices,       "--host",
                  "0.0.0.0", "--port",   values.port, "--show-startup-logs"};
  if (!host.served_model_name.empty()) {
    arguments.insert(arguments.end(), {"--served-model-name", host.served_model_name});
  }
  return arguments;
}

}  // namespace

std::vector<std::string> serving_command(const host_spec& host, const slot_spec& slot) {
  const auto values = placeholders_of(host, slot);
  words command;
  if (host.python.empty()) {
    append_expanded(command, host.serve_command, values);
  } else {
    command = {host.python, "-m", "pypto_serving.cli"};
  }
  if (!host.python.empty() || !is_whole_command(host.serve_command)) {
    const auto arguments = standard_arguments(host, values);
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  append_expanded(command, host.serve_args, values);
  return command;
}

launch_command command_to_launch(const host_spec& host, const slot_spec& slot) {
  const auto values = placeholders_of(host, slot);
  launch_command launch;
  auto serving = serving_command(host, slot);
  if (host.launch_wrapper.empty()) {
    launch.argv = std::move(serving);
  } else {
    append_expanded(launch.argv, host.launch_wrapper, values);
    launch.argv.push_back(shell_quote(serving));
  }
  for (const auto& variable : host.env) {
    launch.env.push_back({variable.name, expand(variable.value, values)});
  }
  launch.workdir = expand(host.workdir, values);
  launch.log_path = log_path(host, slot);
  return launch;
}

std::vector<std::string> command_to_stop(const host_spec& host, const slot_spec& slot) {
  words command;
  append_expanded(command, host.stop_command, placeholders_of(host, slot));
  return command;
}

std::string log_path(const host_spec& host, const slot_spec& slot) {
  auto directory = expand(host.log_dir, placeholders_of(host, slot));
  if (!directory.ends_with('/')) {
    directory += '/';
  }
  return directory + slot.name + ".log";
}

}  // namespace fleet
