// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/replica.hpp"
#include "fleet/core/session_view.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fleet {

/// Which instance each conversation is pinned to. Contract section 3.
///
/// A pin ages from the end of its session's last turn, wherever that turn ran; while one is in
/// flight it does not age. At most `capacity` sessions are kept: the one whose last turn ended
/// longest ago goes first, one with a turn in flight only when all have one. Without a pin
/// it is kept beside these until its turns have ended. A session whose pin has expired is
/// remembered for once more the time that pins live, where there is room, so that it can be told
/// from one that is new. All operations are O(1), forget() is linear in the pins of that instance
/// and sweep() in what it drops.
class pin_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `capacity` 0 keeps nothing. `ttl` is above zero.
  pin_table(std::size_t capacity, std::chrono::nanoseconds ttl);
  pin_table(const pin_table&) = delete;
  pin_table& operator=(const pin_table&) = delete;

  /// The live pin of this session, or whether it had one that expired. Changes nothing.
  [[nodiscard]] pin_state look_up(std::string_view session, time_point now) const;

  /// The same with what led to it.
  [[nodiscard]] pin_view view(std::string_view session, time_point now) const;

  /// The session is pinned to `where` from now on, and one more of its turns is in flight.
  void pin(std::string session, instance_id where, time_point now, pin_note note = {});

  /// One of its turns ended on `where`. `reached`: the replica saw some of it. A pin that no turn
  /// ever reached goes, since nothing is cached there; that is how failed tries leave no pins.
  void unpin(std::string_view session, instance_id where, bool reached, time_point now);

  /// Every pin on this instance goes.
  void forget(instance_id where, time_point now);

  /// Drops what has expired.
  void sweep(time_point now);

  /// Since the start. An expired pin counts once it is swept, or its session is back.
  [[nodiscard]] const pin_ends& ended() const { return ended_; }

  /// Live pins. Sweeps first.
  [[nodiscard]] std::size_t size(time_point now);

 private:
  struct session_record;
  using node = std::pair<const std::string, session_record>;

  // A place in a ring of records.
  struct link {
    node* before = nullptr;
    node* after = nullptr;
  };

  // One conversation. It outlives its pin while turns of it are in flight, so that their ends are
  // counted right whatever happens to the pin meanwhile. Seconds are of the caller's clock, modulo
  // 2^32: half the room of a time_point, and there can be many sessions.
  struct session_record {
    instance_id where;  // value 0: no pin
    time_point ended;   // end of the last turn; set while idle
    link age;           // in idle_, busy_, unpinned_turns_ or lapsed_
    link mates;         // in pins_[where]
    std::uint32_t in_flight = 0;
    std::uint32_t turns = 0;
    std::uint32_t since = 0;  // second of the first turn
    std::uint32_t moved_at = 0;
    std::uint32_t from = 0;  // of the last move
    affinity last = affinity::none;
    affinity moved = affinity::none;
    bool reached = false;  // a turn reached `where` since it was pinned there
  };

  // Oldest first.
  struct ring {
    node* first = nullptr;
    node* last = nullptr;
    std::size_t size = 0;
  };

  // Not noexcept on purpose: the library then keeps each hash beside its id, and a lookup does not
  // hash the neighbours' ids again to see where its bucket ends.
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view x) const { return std::hash<std::string_view>{}(x); }
  };

  static void append(ring& r, link session_record::*side, node& n);
  static void unlink(ring& r, link session_record::*side, node& n);
  [[nodiscard]] bool expired(const session_record& r, time_point now) const;
  static void begin(session_record& r, time_point now);
  static void note_turn(session_record& r, time_point now, pin_note note);
  [[nodiscard]] ring& age_ring(const session_record& r) {
    if (r.in_flight > 0)
      return r.where != instance_id{} ? busy_ : unpinned_turns_;
    return r.where != instance_id{} ? idle_ : lapsed_;
  }
  void release(node& n);
  void count_end(const session_record& r, time_point now, std::uint64_t& cause);
  void evict(time_point now);
  // Its pin goes and it stays.
  void outlive_pin(node& n);
  void erase(node& n);

  const std::size_t capacity_;
  const std::chrono::nanoseconds ttl_;
  std::unordered_map<std::string, session_record, text_hash, std::equal_to<>> sessions_;
  std::unordered_map<instance_id, ring> pins_;
  ring idle_;
  ring busy_;
  ring unpinned_turns_;  // in flight, whose session has lost its pin; these count for no capacity
  ring lapsed_;          // without a pin: it has expired
  std::size_t pinned_ = 0;
  pin_ends ended_;
};

}  // namespace fleet
