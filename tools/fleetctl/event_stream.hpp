// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fleet::ctl {

/// One message of a text/event-stream.
struct stream_message {
  std::string id;    ///< empty: it has none
  std::string name;  ///< of `event:`
  std::string data;
};

/// Puts the messages of a text/event-stream together from the pieces it comes in. Takes line ends
/// of LF and CRLF; comments and unknown fields are passed over.
class stream_reader {
 public:
  void feed(std::string_view piece) { rest_.append(piece); }

  /// The next whole message; none: more has to come first.
  [[nodiscard]] std::optional<stream_message> next();

 private:
  void take(std::string_view line);

  std::string rest_;
  stream_message open_;
  bool any_ = false;
};

/// The number at the end of an event's id; 0 when there is none.
[[nodiscard]] std::uint64_t number_of_event(std::string_view id);

/// What stands before that number: which router process it is of.
[[nodiscard]] std::string_view boot_of_event(std::string_view id);

}  // namespace fleet::ctl
