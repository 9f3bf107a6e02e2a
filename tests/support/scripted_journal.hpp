// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fleet {

/// What the state file holds and how writing to it goes. One thread only.
struct journal_script {
  std::map<std::string, slot_record> held;  ///< by slot
  std::chrono::nanoseconds after{0};        ///< how long a write takes
  std::string failure;                      ///< why a write fails; empty: it does not
  struct seen {
    std::string what;
    std::string slot;
    std::string reason;  ///< of a record
  };
  std::vector<seen> asked;

  /// "record erase ...", of this slot.
  [[nodiscard]] std::string story(const std::string& slot) const;
};

using scripted_journal_actor = journal_actor::extend<caf::reacts_to<tick_atom, std::uint64_t>>;

struct scripted_journal_state {
  static constexpr const char* name = "scripted_journal";
  std::map<std::uint64_t, std::function<void()>> waiting;
  std::uint64_t last = 0;
};

/// A journal without a disk, in the time of the actor clock. Its dates stay those it was given.
scripted_journal_actor::behavior_type scripted_journal(
    scripted_journal_actor::stateful_pointer<scripted_journal_state> self,
    std::shared_ptr<journal_script> script);

}  // namespace fleet
