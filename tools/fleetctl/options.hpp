// SPDX-License-Identifier: MIT
#pragma once

#include "commands.hpp"
#include "router_url.hpp"

#include "fleet/config/settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fleet::ctl {

enum class output_format : std::uint8_t { table, wide, json, name };

/// What one call of fleetctl is to do.
struct invocation {
  router_url router;
  std::string token;  ///< empty: none. Never shown
  std::string ca_file;
  bool insecure_skip_verify = false;
  output_format output = output_format::table;
  std::optional<std::chrono::nanoseconds> timeout;  ///< none: the router's own limits end a wait
  bool colour = true;                               ///< where there is a terminal

  const command* what = nullptr;  ///< never null
  std::vector<std::string> operands;
  std::size_t count = 1;       ///< add
  bool wait = false;           ///< add, scale
  bool no_wait = false;        ///< remove
  bool yes = false;            ///< release
  bool follow = false;         ///< logs, events
  bool json = false;           ///< events
  std::uint64_t tail = 100;    ///< logs: lines; events
  std::uint64_t scale_to = 0;  ///< scale
};

/// Reads the command line; argv[0] is the program. Reads no file but the one --token-file names.
/// The token is the first of --token, --token-file and FLEETCTL_TOKEN, the router the first of
/// --router and FLEETCTL_ROUTER. An early exit has status 0 (help, version) or 2, with text that
/// never quotes a token.
[[nodiscard]] std::variant<invocation, early_exit> parse_options(int argc, const char* const* argv,
                                                                 const env_lookup& env);

}  // namespace fleet::ctl
