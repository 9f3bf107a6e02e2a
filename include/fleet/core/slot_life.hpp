// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fleet {

/// Where a slot stands. Rule of the whole project: nothing is launched on devices that may still be
/// held, so the way back to `free` from anything that ran leads through a confirmed stop. `waiting`
/// and `abandoned` are decisions about a free slot: who runs replicas on it never sees them.
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
  waiting,      ///< free but promised: its next replica follows after a pause
  abandoned,    ///< free, but only an operator launches on it
};

/// How many there are.
inline constexpr std::size_t slot_stages = 11;

[[nodiscard]] std::string to_string(slot_stage s);

/// Whether a slot may go from one stage to the other. All moves not in the table are refused.
[[nodiscard]] bool may_move(slot_stage from, slot_stage to);

/// Something runs on it, has been told to, or is on its way out.
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
