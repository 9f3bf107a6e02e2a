// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/arena.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace fleet::chaos {

// A live process that holds a device.
struct holder {
  pid_t pid = 0;
  std::string birth;  // clock ticks since the boot, as procfs has it
  std::size_t device = 0;
  std::string instance;

  bool operator==(const holder&) const = default;
};

// Looks at procfs every 40 ms for processes of the arena that hold a device, on threads of its own,
// and breaks the run when
//   - two live ones hold one device,
//   - one runs whose slot the running router takes for free,
//   - one runs whose instance is not on record while no router runs (`check_recorded`).
// Each is proved: what was seen first is seen again behind what contradicts it.
class watcher {
 public:
  watcher(arena& where, ledger& book);
  ~watcher();

  // As of a look that began after this call.
  std::vector<holder> live();
  // Since when nothing holds this device, as far as was seen; now, when something does.
  clock::time_point free_since(std::size_t device) const;
  // The router is down: every process is in the state file.
  void check_recorded();
  std::uint64_t looks() const { return looks_; }

 private:
  void watch();
  void ask();
  std::vector<holder> look() const;
  void take(const std::vector<holder>& seen);
  void check_devices(const std::vector<holder>& seen);
  void check_listed(const std::vector<holder>& seen);

  arena& where_;
  ledger& book_;
  mutable std::mutex mutex_;
  std::vector<holder> last_;
  std::map<std::size_t, clock::time_point> last_held_;
  std::atomic<std::uint64_t> looks_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread watching_;
  std::thread asking_;
};

// Processes with this NAME=VALUE in their environment, of whatever program; no zombies.
std::vector<pid_t> marked(const std::string& mark);

}  // namespace fleet::chaos
