// SPDX-License-Identifier: MIT
// The router's answers as values. What is missing or of another type is left at its default, so
// that another version's answer is shown as far as it goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet::ctl {

using wall_time = std::chrono::system_clock::time_point;

struct replica {
  std::string name;
  std::string url;
  std::string phase;
  std::string reason;
  std::string slot;     ///< of an owned one, as the next three
  std::string devices;  ///< "0,1"
  std::string host;
  std::string log;
  std::string log_line;  ///< while it is launched: the last line of its log
  bool ready = false;
  bool owned = false;
  bool draining = false;
  std::uint64_t outstanding = 0;
  std::uint64_t routed = 0;
  std::optional<wall_time> since;
};

/// A slot that needs a word: of `capacity.unconfirmed` and its like.
struct slot_note {
  std::string slot;
  std::string reason;
  std::string detail;
  std::uint64_t count = 0;  ///< losses, or attempts
  double retry_in = 0;      ///< seconds
  std::optional<wall_time> since;
};

struct capacity {
  std::uint64_t owned = 0;
  std::uint64_t ceiling = 0;
  std::vector<std::string> free_slots;
  std::vector<slot_note> unconfirmed;
  std::vector<slot_note> abandoned;
  std::vector<slot_note> replacing;
  std::vector<slot_note> failed_launches;
};

/// GET /replicas.
struct pool {
  std::vector<replica> replicas;
  capacity left;

  [[nodiscard]] const replica* find(std::string_view name) const;
};

/// GET /health, without its replicas.
struct health {
  std::string status;
  std::uint64_t sessions = 0;
  std::uint64_t routed = 0;
  std::uint64_t affinity_hits = 0;
  std::uint64_t rejected = 0;
};

/// One of GET /slots.
struct slot {
  std::string name;
  std::string host;
  std::string devices;
  std::string address;  ///< host:port
  std::string log;
  std::string stage;
  std::string reason;
  std::string detail;
  std::optional<wall_time> since;
  std::optional<std::chrono::nanoseconds> drain_left;  ///< while it drains
  std::optional<replica> running;
};

/// The data of one message of GET /events.
struct fleet_event {
  std::string at;  ///< as the router writes it
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;
};
[[nodiscard]] fleet_event read_event(std::string_view json);

/// GET /sessions/{id}.
struct conversation {
  std::string id;
  std::string replica;
  std::chrono::nanoseconds age{0};
  std::uint64_t turns = 0;
  std::uint64_t in_flight = 0;
  std::string last;    ///< how its last turn was routed
  bool moved = false;  ///< it did, and the rest tells of the last time
  std::string from;
  std::string why;
  std::chrono::nanoseconds moved_age{0};
};
/// None when the text is no JSON object, or names no replica.
[[nodiscard]] std::optional<conversation> read_session(std::string_view json);

/// None when the text is no JSON object, or has no list of replicas or slots.
[[nodiscard]] std::optional<pool> read_pool(std::string_view json);
[[nodiscard]] std::optional<health> read_health(std::string_view json);
[[nodiscard]] std::optional<std::vector<slot>> read_slots(std::string_view json);
[[nodiscard]] std::optional<replica> read_replica(std::string_view json);

/// A refusal: `message` and `error.code`.
struct refusal {
  std::string message;
  std::string code;
};
[[nodiscard]] refusal read_refusal(std::string_view json);

/// A top-level text; empty when there is none.
[[nodiscard]] std::string read_text(std::string_view json, std::string_view key);

}  // namespace fleet::ctl
