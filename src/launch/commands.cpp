// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include "environment.hpp"
#include "scripts.hpp"

#include "fleet/core/command.hpp"
#include "fleet/core/shell_quote.hpp"

#include <utility>

namespace fleet {

namespace {

/// ssh expands % in the path of a key.
std::string key_path(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    escaped += c == '%' ? "%%" : std::string(1, c);
  }
  return escaped;
}

words script(std::string_view text, std::string_view name, words arguments) {
  words command{"/bin/sh", "-c", std::string(text), "pypto-router-" + std::string(name)};
  command.insert(command.end(), std::make_move_iterator(arguments.begin()),
                 std::make_move_iterator(arguments.end()));
  return command;
}

words identity(const process_ref& process) {
  return {process.instance, std::to_string(process.process_group), process.birth};
}

words log_part(const std::string& log, std::uint64_t begin, std::size_t bytes) {
  return {log, std::to_string(begin), std::to_string(bytes)};
}

void append(words& to, const words& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

words ssh_command(const host_spec& host, const words& remote) {
  words command{"ssh", "-T"};
  for (const auto* option :
       {"BatchMode=yes", "StrictHostKeyChecking=accept-new", "ConnectTimeout=10"}) {
    append(command, {"-o", option});
  }
  if (!host.identity_file.empty()) {
    append(command, {"-o", "IdentitiesOnly=yes", "-i", key_path(host.identity_file)});
  }
  append(command, {"--", host.ssh});
  for (const auto& word : remote) {
    command.push_back(shell_quote(word));
  }
  return command;
}

words command_on(const host_spec& host, words command) {
  return host.ssh.empty() ? command : ssh_command(host, command);
}

words launch_over_ssh(const launch_order& order) {
  const auto replica = command_to_launch(order.host, order.slot);
  words arguments{replica.log_path, "env"};
  environment variables;
  for (const auto& each : replica.env) {
    set_variable(variables, each);
  }
  set_variable(variables, {std::string(instance_variable), order.instance});
  append(arguments, variables);
  words monitored{replica.log_path, order.instance, replica.workdir};
  append(monitored, replica.argv);
  append(arguments, script(scripts::monitor, "replica", std::move(monitored)));
  return ssh_command(order.host, script(scripts::launch, "launch", std::move(arguments)));
}

words stop_command(const stop_order& order) {
  auto command = command_to_stop(order.host, order.slot);
  if (command.empty()) {
    auto arguments = identity(order.process);
    arguments.push_back(std::to_string(order.grace.count() / 10));
    command = script(scripts::stop(), "stop", std::move(arguments));
  }
  return command_on(order.host, std::move(command));
}

words inspect_command(const inspect_order& order, std::size_t log_bytes) {
  auto arguments = identity(order.process);
  append(arguments, log_part(log_path(order.host, order.slot), order.process.log_begin, log_bytes));
  return command_on(order.host, script(scripts::inspect(), "inspect", std::move(arguments)));
}

words read_log_command(const host_spec& host, const slot_spec& slot, std::uint64_t log_begin,
                       std::size_t log_bytes) {
  return command_on(host, script(scripts::read_log(), "log",
                                 log_part(log_path(host, slot), log_begin, log_bytes)));
}

}  // namespace fleet
