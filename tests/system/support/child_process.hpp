// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/wire.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <utility>
#include <vector>

namespace fleet::rig {

struct child_setup {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> env = {};
  std::optional<std::size_t> max_files = {};  // soft and hard RLIMIT_NOFILE
  int error_fd = -1;                          // stderr goes here instead of into error_text()
};

// What a process may grow by and still count as not growing. AddressSanitizer keeps what was freed
// for a while, so there the growth of these tests says nothing.
constexpr std::size_t growth_kib(std::size_t plain) {
#ifdef __SANITIZE_ADDRESS__
  return plain + (1UL << 20);
#else
  return plain;
#endif
}

// A child whose output is collected; killed when it goes.
class child_process {
 public:
  explicit child_process(const child_setup& setup);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  pid_t pid() const { return pid_; }
  std::string output_text() const;
  std::string error_text() const;

  void signal(int number) const;
  // Exit status, or 128 + the signal that ended it; nothing when it runs on past `limit`.
  std::optional<int> wait_exit(milliseconds limit = patience);
  bool running() { return !wait_exit(0ms).has_value(); }
  // After its end: waits for what it printed last.
  void drain() const;

  // Of the running process, from procfs.
  std::size_t resident_kib() const;
  std::size_t descriptors() const;
  std::size_t threads() const;
  milliseconds cpu_time() const;

 private:
  void collect();

  pid_t pid_ = -1;
  std::optional<int> status_;
  unique_fd out_;
  unique_fd err_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> collected_ = false;
  mutable std::mutex mutex_;
  std::string output_text_;
  std::string error_text_;
  std::thread collector_;
};

}  // namespace fleet::rig
