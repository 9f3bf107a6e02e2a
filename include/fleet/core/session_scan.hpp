// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleet {

/// Finds the string member `session_id` at the top level of a JSON body, without building a
/// document: any size, any nesting depth, fed in pieces cut anywhere, in constant memory.
/// Contract section 3.
///
/// It is a finder, no validator. The shape of the top level is checked, and a body whose top level
/// is no complete object has no id; what stands inside nested values and scalars is passed over
/// (so `NaN`, which Python's parser takes, does no harm). Escapes are decoded in keys and ids, the
/// last of repeated keys wins, and a UTF-8 byte order mark in front is allowed.
class session_scan {
 public:
  /// The next piece of the body, in order.
  void feed(std::string_view piece);

  /// No further byte can change the result: the body is no JSON object. Feeding on is harmless and
  /// costs nothing, so that a compressed or binary body is looked at for one byte only.
  [[nodiscard]] bool over() const noexcept { return at_ == place::over; }

  /// What the body fed so far says, taken as complete.
  /// - nothing: no such member, not a string, or a string of blanks only; or no JSON object
  /// - an empty string: a string that valid_session_id() refuses, longer than 128 or not of its
  ///   characters; the text itself is not kept
  /// - else: the id, valid
  [[nodiscard]] std::optional<std::string> result() const;

 private:
  enum class place : std::uint8_t {
    start,        // before the object
    first_key,    // after '{'
    key,          // after ','
    colon,        // after a key
    value,        // after ':'
    scalar,       // inside a number or literal of the top level
    after_value,  // after a value of the top level
    nested,       // inside a nested array or object, outside its strings
    skip_string,  // inside a string that does not matter
    read_string,  // inside a key, or the id
    after,        // after the object
    over,         // no JSON object
  };
  enum class role : std::uint8_t { key, id, other };

  std::size_t step(std::string_view in);
  std::size_t skip_string(std::string_view in);
  std::size_t read_string(std::string_view in);
  std::size_t take_run(std::string_view in);
  std::size_t skip_nested(std::string_view in);
  void top_level(char c);
  void start(char c);
  void value(char c);
  void open_string(role what);
  void close_string();
  void escaped(char c);
  void take(char16_t unit);
  void take_id(char16_t unit);

  place at_ = place::start;
  role string_ = role::other;
  bool is_id_ = false;          // the key just read is session_id
  bool blank_ = false;          // the id began with a blank
  bool odd_backslash_ = false;  // skip_string: the last piece ended in an open escape
  std::uint8_t bom_ = 0;        // bytes of the byte order mark seen
  std::uint8_t escape_ = 0;     // read_string: 0 none, 5 after '\', else hex digits to come
  char16_t unit_ = 0;           // the \u escape so far
  std::size_t matched_ = 0;     // characters of the key that agree with session_id
  std::size_t depth_ = 0;       // nested containers open, the top level not counted
  std::string text_;            // the id so far
  std::optional<std::string> found_;
};

}  // namespace fleet
