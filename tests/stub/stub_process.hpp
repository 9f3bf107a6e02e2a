// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// A stub-serving of its own on a free port of 127.0.0.1; killed with the object.
class stub_process {
 public:
  /// Starts it with the given flags, on a free port unless they say otherwise; `environment` holds
  /// NAME=value entries on top of this process's own. Does not wait for anything.
  explicit stub_process(std::vector<std::string> flags, std::vector<std::string> environment = {});
  stub_process(const stub_process&) = delete;
  stub_process& operator=(const stub_process&) = delete;
  ~stub_process();

  /// The next line of its output that holds `text`; empty when none comes within ten seconds.
  std::string line_with(std::string_view text) const;

  /// The port it bound, as its output says; 0 when it never said so.
  std::uint16_t port();

  void signal(int number) const;

  /// Its exit status once it has ended (128 + signal when a signal ended it); nothing when it still
  /// runs after `limit`.
  std::optional<int> exit_status(std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::uint16_t port_ = 0;
  std::optional<int> status_;
};
