// SPDX-License-Identifier: MIT
#pragma once

#include "children.hpp"
#include "environment.hpp"

#include "fleet/core/process.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fleet {

/// A helper command, such as ssh: it ends by itself and its output matters.
struct command_plan {
  std::vector<std::string> argv;
  environment env;
  std::chrono::milliseconds limit{};  ///< then its process group is killed
  std::size_t keep = 16384;           ///< bytes kept of each output, the last ones
};

struct command_end {
  bool ran = false;        ///< it could be started; else only `reason` is filled
  bool timed_out = false;  ///< killed; `how` says nothing
  exit_status how;
  std::string out;
  std::string err;  ///< also why the program could not be run (status 127)
  /// Empty when it ended well; else one line: how it ended, and the last lines of its output.
  std::string reason;
};

/// Runs it without blocking; `done` is called once, on the thread that runs `io`, unless the
/// command is abandoned. What the command leaves running in the background is not waited for.
class running_command;
using command_handle = std::weak_ptr<running_command>;
command_handle run_command(boost::asio::io_context& io, children& all, command_plan plan,
                           std::function<void(command_end)> done);

/// Kills it, if it still runs, without a word to whoever waits for it, and gives its process id;
/// else 0.
pid_t abandon(const command_handle& command);

}  // namespace fleet
