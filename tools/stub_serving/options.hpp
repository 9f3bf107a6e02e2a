// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace fleet::stub {

using duration = std::chrono::nanoseconds;

/// How the stand-in behaves. The first group are pypto-serving's own flags; the rest are knobs that
/// exist here only. Every knob is also read from the environment: `--token-delay-ms` is
/// `STUB_TOKEN_DELAY_MS`; the command line wins.
struct options {
  std::string model = "stub";
  std::string served_model_name;  ///< empty: the last part of `model`
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;  ///< 0: the system picks one

  std::string name;         ///< empty: the bound port
  std::size_t tokens = 16;  ///< tokens per answer; max_tokens lowers it
  duration token_delay = std::chrono::milliseconds(10);  ///< before each token
  duration prefill_per_1000{0};                   ///< per 1000 prompt characters not in the cache
  std::size_t cache_blocks = 65536;               ///< 64-byte blocks remembered; 0: no cache
  duration keep_alive = std::chrono::seconds(5);  ///< idle connections are closed after it
  duration load{0};                               ///< from start to bind
  std::optional<duration> unhealthy_after;        ///< since bind; /health is 503 from then on
  std::string unhealthy_file;                     ///< /health is 503 while this path exists
  std::optional<std::size_t> die_after_requests;  ///< exit once that many turns were answered
  std::optional<duration> die_after;              ///< since bind; exit without a word
  int die_code = 1;                               ///< exit status of both deaths
  std::optional<std::size_t> fail_after_tokens;   ///< cut each answer there
  std::string fault_file;  ///< while this path exists its text says how turns go wrong: see `fault`
  bool echo = false;       ///< answers repeat the prompt's last word, numbered, instead of filler
  bool hang_prefill = false;     ///< no turn ever gets its first token
  std::size_t refuse_turns = 0;  ///< so many turns get refuse_status first
  int refuse_status = 503;       ///< with Retry-After: 1 when it is 429 or 503
  bool call_tools = false;       ///< a chat turn that offers tools calls the first
  bool ignore_sigterm = false;
  std::optional<int> exit_code;  ///< exit with it instead of binding
};

/// Reads the command line and the environment. Flags it does not know are skipped, with or without
/// a value, so that any pypto-serving command line starts it. Nothing when `--help` was asked for.
[[nodiscard]] outcome<std::optional<options>> parse_options(int argc, const char* const* argv);

/// What `--help` prints.
[[nodiscard]] std::string usage();

}  // namespace fleet::stub
