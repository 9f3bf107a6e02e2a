// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/child_process.hpp"
#include "system/support/temp_dir.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::rig {

struct router_setup {
  std::string fleet;               // text of the fleet file
  std::vector<std::string> flags;  // besides those below
  std::vector<std::pair<std::string, std::string>> env = {};
  std::optional<std::size_t> max_files = {};
  int error_fd = -1;
  std::vector<std::string> wrapper = {};  // a program and arguments that become the router
};

// The router under test, listening. Where `flags` do not say otherwise it gets
// --host 127.0.0.1 --port 0 --threads 2 --health-interval 0.2.
class router_process {
 public:
  // Waits until it listens; throws with its log when it ends or stays silent instead.
  explicit router_process(std::string fleet, std::vector<std::string> flags = {});
  explicit router_process(const router_setup& setup);

  // Takes the place of the log when that goes to `error_fd`.
  std::uint16_t port() const { return port_; }
  child_process& process() { return *process_; }
  std::string log() const { return process_->error_text(); }
  bool logged(std::string_view text) const { return log().find(text) != std::string::npos; }

  void signal(int number) { process_->signal(number); }
  // Exit status after SIGTERM, -1 when it does not end within `limit`.
  int stop(milliseconds limit = patience);

 private:
  temp_dir dir_;
  std::unique_ptr<child_process> process_;
  std::uint16_t port_ = 0;
};

// A router whose replicas are all routable.
class ready_router : public router_process {
 public:
  explicit ready_router(std::string fleet, std::vector<std::string> flags = {});
};

// What one run of the router to its end gave.
struct run_result {
  int status = -1;  // -1: it did not end
  std::string output;
  std::string errors;
};

// Runs the router with exactly these arguments.
run_result run_router(std::vector<std::string> arguments,
                      std::vector<std::pair<std::string, std::string>> env = {},
                      milliseconds limit = patience);
// `--check` on a fleet file with this text, called fleet.json.
run_result check_fleet(std::string_view text);
// Lines in a text, an unfinished last one included.
std::size_t line_count(std::string_view text);

}  // namespace fleet::rig
