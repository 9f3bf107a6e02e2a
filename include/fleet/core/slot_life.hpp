// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace fleet {

/// Where a slot stands. Rule of the whole project: nothing is launched on devices that may still be
/// held, so the way back to `free` from anything that ran leads through a confirmed stop.
enum class slot_stage : std::uint8_t {
  free,         ///< may be launched on
  reserved,     ///< taken; its address is checked for silence, nothing has been spawned
  launching,    ///< the launch command is out
  loading,      ///< the launch was accepted, the replica has never been ready
  serving,      ///< the replica has been ready
  draining,     ///< no new turns; those in flight end
  stopping,     ///< the stop command is out
  confirming,   ///< stopped by the command's word; the address has to go silent
  unconfirmed,  ///< its devices may be held; only an operator frees it
};

[[nodiscard]] std::string to_string(slot_stage s);

/// Whether a slot may go from one stage to the other. All moves not in the table are refused.
[[nodiscard]] bool may_move(slot_stage from, slot_stage to);

/// Something runs on it, is about to, or is on its way out.
[[nodiscard]] bool in_use(slot_stage s);

/// The stage of one slot; it begins free and changes by legal moves only.
class slot_life {
 public:
  explicit slot_life(slot_stage now = slot_stage::free) : now_(now) {}

  [[nodiscard]] slot_stage now() const { return now_; }

  /// False: refused, nothing changed.
  [[nodiscard]] bool move(slot_stage to);

 private:
  slot_stage now_;
};

}  // namespace fleet
