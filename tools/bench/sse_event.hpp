// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

/// The one event both ends of the benchmark know: 100 bytes with the moment it was sent.
namespace bench {

inline constexpr std::size_t event_size = 100;
inline constexpr std::string_view event_head = R"(data: {"t":")";
inline constexpr std::size_t stamp_size = 19;

/// Nanoseconds of the clock that all processes of one machine share.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// An event sent now, as it stands in the body.
inline std::string make_event() {
  std::string stamp = std::to_string(now_ns());
  stamp.insert(0, stamp_size - stamp.size(), '0');
  std::string event = std::string(event_head) + stamp + R"(","x":")";
  event.append(event_size - event.size() - 4, 'x');
  return event + "\"}\n\n";
}

/// When an event was sent, 0 when `event` is none.
inline std::int64_t sent_at(std::string_view event) {
  std::int64_t stamp = 0;
  if (event.size() == event_size && event.substr(0, event_head.size()) == event_head) {
    const char* first = event.data() + event_head.size();
    std::from_chars(first, first + stamp_size, stamp);
  }
  return stamp;
}

}  // namespace bench
