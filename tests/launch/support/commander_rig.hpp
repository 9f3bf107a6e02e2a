// SPDX-License-Identifier: MIT
#pragma once

#include "launch/support/procfs.hpp"
#include "launch/support/scoped_variable.hpp"
#include "system/support/deadline.hpp"
#include "system/support/temp_dir.hpp"

#include "fleet/launch/commander.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fleet::rig {

// The longest a wait may take: ssh on a machine that is busy with other things.
inline constexpr milliseconds long_patience = 60s;

inline bool in_time(const std::function<bool()>& condition, milliseconds limit = long_patience) {
  return eventually(condition, limit);
}

// What a callback will bring.
template <class T>
class answer {
 public:
  std::function<void(T)> callback() {
    return [state = state_](T value) {
      const std::lock_guard lock{state->mutex};
      state->value.emplace(std::move(value));
    };
  }
  bool here() const {
    const std::lock_guard lock{state_->mutex};
    return state_->value.has_value();
  }
  T get(milliseconds limit = long_patience) const {
    REQUIRE(in_time([this] { return here(); }, limit));
    const std::lock_guard lock{state_->mutex};
    return *state_->value;
  }

 private:
  struct state {
    std::mutex mutex;
    std::optional<T> value;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

// A commander with a folder of its own; whatever it launched is killed in the end.
class commander_rig {
 public:
  explicit commander_rig(process_commander::options given = {});
  ~commander_rig();

  temp_dir dir;

  // A host on this machine whose replicas run `script` by sh: $1 is the port, $2 this folder.
  host_spec host(const std::string& script) const;
  // Its first slot.
  static slot_spec slot(const host_spec& host) { return lay_out_slots({host}).front(); }

  // An instance nobody else uses.
  std::string instance();
  launch_order order(const host_spec& host) { return {host, slot(host), instance()}; }

  process_commander& commander() { return *commander_; }
  void destroy_commander() { commander_.reset(); }

  launch_result launch(const launch_order& order);
  // Launches and expects that to work.
  process_ref started(const launch_order& order);
  stop_result stop(const host_spec& host, const process_ref& process, milliseconds grace = 5s);
  inspection inspect(const host_spec& host, const process_ref& process);
  std::string log(const host_spec& host) const;

  std::optional<process_exit> exit_of(const std::string& instance);
  // The number that a script wrote into this file of the folder.
  pid_t pid_in(const std::string& file) const;

 private:
  std::mutex mutex_;
  std::vector<process_exit> exits_;
  std::vector<std::string> instances_;
  std::vector<pid_t> groups_;
  std::unique_ptr<process_commander> commander_;
};

}  // namespace fleet::rig
