// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/host.hpp"

#include <string>
#include <vector>

namespace fleet {

/// How a slot's replica is started. All placeholders are expanded.
struct launch_command {
  std::vector<std::string> argv;  ///< program and arguments, at least one word
  std::vector<env_var> env;       ///< added to the inherited environment
  std::string workdir;            ///< where argv runs; empty: where the launch happens to run
  /// Standard output and error are appended here, on the machine that runs the replica. A relative
  /// path counts from where the launch happens to run, not from workdir.
  std::string log_path;

  friend bool operator==(const launch_command&, const launch_command&) = default;
};

/// The serving process itself, without any wrapper. Contract section 2:
///  - standard: `pypto-serving --model M --devices 0,1 --host 0.0.0.0 --port P
///    --show-startup-logs [--served-model-name N]`, then serve_args;
///  - `python` replaces the program by `PYTHON -m pypto_serving.cli`;
///  - `serve_command` replaces the program, too; one that mentions {model}, {port} or {devices} is
///    another engine's whole command: no standard argument is added, serve_args still follow.
[[nodiscard]] std::vector<std::string> serving_command(const host_spec& host,
                                                       const slot_spec& slot);

/// What is to be run: the serving command, or the launch wrapper with the serving command as its
/// one last argument, shell-quoted.
[[nodiscard]] launch_command command_to_launch(const host_spec& host, const slot_spec& slot);

/// The operator's own way to stop this slot's replica; empty: stop it the built-in way.
[[nodiscard]] std::vector<std::string> command_to_stop(const host_spec& host,
                                                       const slot_spec& slot);

/// `<log_dir>/<slot>.log`.
[[nodiscard]] std::string log_path(const host_spec& host, const slot_spec& slot);

}  // namespace fleet
