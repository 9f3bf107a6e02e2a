// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <set>
#include <sys/types.h>

namespace fleet {

/// Reaps what this process started, each child once, and tells how it ended. All on the thread that
/// runs the context.
class children {
 public:
  /// Makes sure that the system keeps the status of children at all: a program that was started
  /// with SIGCHLD ignored would lose it.
  explicit children(boost::asio::io_context& io);

  /// `done` is called when this child has ended and is reaped; its id may be reused from then on.
  void watch(pid_t child, std::function<void(exit_status)> done);

 private:
  class watcher;

  void forget(pid_t child) { own_.erase(child); }
  void reap_orphans();

  boost::asio::io_context& io_;
  boost::asio::steady_timer orphans_;
  std::set<pid_t> own_;  // not reaped yet
};

}  // namespace fleet
