// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/ledger.hpp"
#include "chaos/storm/plant.hpp"
#include "system/support/raw_client.hpp"
#include "system/support/router_process.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fleet::chaos {

struct arena_setup {
  std::string folder;  // exists; holds everything
  plant planted = plant::none;
};

// A slot as GET /slots tells it.
struct slot_row {
  std::string name;
  std::size_t device = 0;
  std::string stage;
};

// One host of four slots and the router that launches stub replicas there, again and again on the
// same port, fleet file and state file. Starting and ending the router is for one thread, which
// must outlive it; the rest is for any.
class arena {
 public:
  static constexpr std::size_t devices = 4;
  // More descriptors than the clients and replicas need, few enough to be used up.
  static constexpr std::size_t router_files = 300;
  // Tokens of the longest answer.
  static constexpr std::size_t most_tokens = 24;

  arena(arena_setup setup, ledger& book);
  ~arena();

  // Waits until it listens. False, with a broken rule, when it does not.
  bool start_router();
  bool router_running() const { return running_; }
  pid_t router_pid() const { return process_->pid(); }
  std::size_t router_descriptors() const { return process_->descriptors(); }
  void kill_router();
  // Exit status after SIGTERM; nothing when it does not end.
  std::optional<int> end_router(rig::milliseconds limit);
  // How often a router was started: a connection to an earlier one is dead.
  std::uint64_t epoch() const { return epoch_; }

  std::uint16_t port() const { return port_; }
  std::uint16_t port_of(std::size_t device) const {
    return static_cast<std::uint16_t>(base_ + device);
  }
  static std::string slot_of(std::size_t device) { return "n-d" + std::to_string(device); }
  // While it exists, what it says goes wrong with that replica's turns.
  std::string fault_file(std::size_t device) const { return file_for("fault", device); }
  // While it exists, that replica's /health is 503.
  std::string sick_file(std::size_t device) const { return file_for("sick", device); }
  // Puts the wall clock of the router and its replicas off by this; under a sanitizer nothing does.
  void step_clock(std::chrono::seconds off) const;
  // The folder of the state file, on a small file system of its own when that can be had.
  const std::string& disk() const { return disk_; }
  bool small_disk() const { return small_disk_; }
  std::string state_file() const { return disk_ + "/state.json"; }
  // In the environment of all that is launched here and of nothing else: NAME=VALUE.
  std::string mark() const { return "FLEET_CHAOS=" + setup_.folder; }
  plant planted() const { return setup_.planted; }

  // A request to the admin API with the token; status 0 without an answer.
  rig::message admin(std::string_view method, const std::string& target, std::string_view body = "",
                     rig::milliseconds limit = 120s) const;
  // Nothing when the router does not tell.
  std::optional<std::vector<slot_row>> slots() const;

  // Log lines that say that the router itself is at fault.
  std::string defects() const;
  std::string log_tail(std::size_t lines) const;

 private:
  std::string file_for(const char* what, std::size_t device) const;
  std::string fleet_text() const;
  bool listens() const;

  arena_setup setup_;
  ledger& book_;
  std::uint16_t base_;
  std::uint16_t port_;
  std::string disk_;
  bool small_disk_ = false;
  std::string fleet_file_;
  std::string token_file_;
  std::string clock_file_;
  std::unique_ptr<rig::child_process> process_;
  std::atomic<bool> running_ = false;
  std::atomic<std::uint64_t> epoch_ = 0;
  std::uint64_t harm_ = 0;
};

}  // namespace fleet::chaos
