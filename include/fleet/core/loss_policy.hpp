// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace fleet {

/// What the loss policy needs of the command line.
struct loss_rules {
  std::chrono::nanoseconds replace_after = std::chrono::seconds(30);
  std::chrono::nanoseconds stable_after = std::chrono::seconds(300);
};

/// How long a slot that has lost `losses` replicas in a row, 1 or more, waits for the next one.
[[nodiscard]] std::chrono::nanoseconds wait_after(std::uint64_t losses);

/// Where a slot stands with its losses.
enum class loss_stage : std::uint8_t {
  calm,         ///< nothing to replace: free, unconfirmed, or a first launch not ready yet
  serving,      ///< its replica serves
  missing,      ///< it served and stopped answering; it may come back
  retiring,     ///< it counts as dead and is being stopped
  waiting,      ///< gone; the next one is launched later
  relaunching,  ///< the next one is on its way up
  abandoned,    ///< lost too many in a row
  leaving,      ///< being stopped for good, by an operator or at shutdown
};

/// When a slot's replica counts as dead and when another one follows. Spec: "When a replica dies";
/// contract section 7. One per slot; it knows neither clocks nor processes. A time is that of any
/// steady clock, always the same one, and never goes back. Each event tells whether it changed
/// anything; one that makes no sense where the slot stands is ignored.
///
/// A replacement that fails to launch or never gets ready is a loss like a death. A first launch
/// that fails is none. An unconfirmed stop ends the row: nothing follows, and nothing is counted.
class loss_policy {
 public:
  using time = std::chrono::nanoseconds;

  /// The third loss in a row abandons the slot.
  static constexpr std::uint64_t most_losses = 3;

  explicit loss_policy(loss_rules rules = {}) : rules_(rules) {}

  // -- events ---------------------------------------------------------------

  /// A first launch, at startup or because an operator asks: ends a wait, forgets all losses.
  bool launched();

  /// Its replica is routable, for the first time or again. One that nobody launched was adopted.
  bool ready(time now);

  /// Its replica served and is not routable any more.
  bool unroutable(time now);

  /// What ran there, or should have, is at its end: confirmed, or its devices may be held.
  bool ended(bool confirmed, time now);

  /// An operator or a shutdown wants nothing on this slot: no replica follows the one it has, a
  /// wait is over. All losses are forgotten.
  bool stop();

  /// What is to be done now.
  enum class wish : std::uint8_t {
    nothing,
    retire,  ///< stop the replica; `ended` follows
    launch,  ///< launch another; `ready` or `ended` follows
  };

  /// The time may have come; `nothing` before due() and whenever there is nothing to do.
  wish tick(time now);

  // -- what can be seen -----------------------------------------------------

  [[nodiscard]] loss_stage stage() const { return stage_; }

  /// When the next tick has something to do.
  [[nodiscard]] std::optional<time> due() const;

  /// Losses in a row so far.
  [[nodiscard]] std::uint64_t losses() const { return losses_; }

  /// Which replacement in a row is under way or waited for, 1 being the first; 0: none. A replica
  /// that will not be replaced any more once it has gone has none.
  [[nodiscard]] std::uint64_t attempt() const;

 private:
  bool become(loss_stage next, time now);
  bool rest();

  loss_rules rules_;
  loss_stage stage_ = loss_stage::calm;
  time since_{0};  // when that began
  std::uint64_t losses_ = 0;
};

}  // namespace fleet
