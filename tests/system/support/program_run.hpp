// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/child_process.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet::rig {

/// How a program ended, -1: not in time, and what it said on both outputs.
struct program_run {
  int status = -1;
  std::string text;
  [[nodiscard]] bool tells(std::string_view what) const {
    return text.find(what) != std::string::npos;
  }
};

/// Runs it to its end, for 200 s at most.
inline program_run run_program(std::vector<std::string> argv) {
  child_process run{{.argv = std::move(argv)}};
  program_run out;
  out.status = run.wait_exit(std::chrono::seconds(200)).value_or(-1);
  run.drain();
  out.text = run.output_text() + run.error_text();
  return out;
}

}  // namespace fleet::rig
