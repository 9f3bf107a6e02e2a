// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"
#include "fleet/core/settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace fleet {

enum class log_format : std::uint8_t { text, json };

/// The command line, checked. Contract section 1. Ranges are those of the flag table in
/// src/config/flags.cpp.
struct settings {
  std::string fleet_file;        ///< --replicas, never empty
  std::string host = "0.0.0.0";  ///< --host: an IPv4 or IPv6 address, without brackets
  std::uint16_t port = 8000;     ///< 0: the system picks a free one
  std::size_t threads = 1;       ///< lanes, at least 1; the CPU count unless given
  routing_settings routing;
  std::chrono::nanoseconds request_timeout = std::chrono::seconds(3600);
  std::uint64_t max_body = 67'108'864;       ///< bytes
  std::uint64_t max_bodies = 4'294'967'296;  ///< bytes
  std::optional<std::size_t> max_clients;    ///< none: as many as descriptors allow
  std::chrono::nanoseconds header_timeout = std::chrono::seconds(30);
  std::chrono::nanoseconds client_timeout = std::chrono::seconds(60);
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(75);
  std::optional<std::size_t> initial_replicas;  ///< none: see pool_limits in fleet_file.hpp
  std::optional<std::size_t> max_replicas;      ///< none: the declared pool
  std::chrono::nanoseconds launch_timeout = std::chrono::seconds(600);
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(300);
  std::chrono::nanoseconds stop_grace = std::chrono::seconds(30);
  /// Already floored at two health intervals.
  std::chrono::nanoseconds replace_after = std::chrono::seconds(30);
  std::chrono::nanoseconds stable_after = std::chrono::seconds(300);
  std::string state_file;        ///< empty: none
  std::string admin_token;       ///< empty: the admin API is open. Never logged, never passed on
  bool metrics_open = false;     ///< --metrics-open
  std::string admin_token_file;  ///< --admin-token-file; parse_command_line has read it already
  std::string access_log;        ///< a file, `-` for standard output; empty: none
  bool trace = false;            ///< --trace
  log_level level = log_level::info;
  log_format format = log_format::text;
  bool check = false;  ///< --check: validate, print the slot table, exit
};

/// The process ends here; `text` ends with a newline. Status 0: help or version, for standard
/// output. Status 2: one line for standard error that names flag, value and what is accepted.
struct early_exit {
  int status = 0;
  std::string text;
};

using command_line = std::variant<settings, early_exit>;

/// Looks up an environment variable; none when it is not set.
using env_lookup = std::function<std::optional<std::string>(const char* name)>;

/// Reads the command line; argv[0] is the program. Reads no file but the one that
/// --admin-token-file names.
///
/// The admin token is the first of: --admin-token, --admin-token-file (one trailing newline is
/// dropped), the variable PYPTO_ROUTER_ADMIN_TOKEN. It must be 1..4096 visible ASCII characters; an
/// empty one is refused from any of them, since it would leave the API open without a word.
[[nodiscard]] command_line parse_command_line(int argc, const char* const* argv,
                                              const env_lookup& env);

/// What --help prints: each flag with its default and meaning.
[[nodiscard]] std::string help_text();

/// The version of this build, e.g. "0.1.0".
[[nodiscard]] std::string version();

}  // namespace fleet
