// SPDX-License-Identifier: MIT
#include "fleet/core/session_scan.hpp"

#include "fleet/core/session_id.hpp"

#include <algorithm>
#include <utility>

namespace fleet {

namespace {

constexpr std::string_view wanted = "session_id";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::uint8_t escape_letter = 5;  // a '\' was seen, its letter comes next

bool blank(char16_t c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Quotes and brackets of either kind; '[' and '{', ']' and '}' differ in one bit.
bool structural_byte(char c) noexcept {
  const int folded = c | 0x20;
  return c == '"' || folded == '{' || folded == '}';
}

// How many leading bytes hold nothing structural. Whole blocks first, in a loop without branches
// that compilers turn into vector code.
std::size_t plain_prefix(std::string_view in) noexcept {
  constexpr std::size_t block = 32;
  std::size_t done = 0;
  for (; in.size() - done >= block; done += block) {
    unsigned char hit = 0;
    for (std::size_t i = 0; i < block; ++i) {
      const char c = in[done + i];
      const char folded = static_cast<char>(c | 0x20);
      hit = static_cast<unsigned char>(hit | (c == '"') | (folded == '{') | (folded == '}'));
    }
    if (hit != 0) {
      break;
    }
  }
  const auto* found = std::find_if(in.begin() + done, in.end(), structural_byte);
  return static_cast<std::size_t>(found - in.begin());
}

// The value of a hex digit, or 16.
char16_t hex(char c) noexcept {
  if (c >= '0' && c <= '9') {
    return static_cast<char16_t>(c - '0');
  }
  const int folded = c | 0x20;
  return static_cast<char16_t>(folded >= 'a' && folded <= 'f' ? folded - 'a' + 10 : 16);
}

// What a one-letter escape stands for, or 0 when there is no such escape.
char16_t unescaped(char letter) noexcept {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const auto at = letters.find(letter);
  return at == std::string_view::npos ? u'\0' : static_cast<char16_t>(meanings[at]);
}

}  // namespace

void session_scan::feed(std::string_view piece) {
  while (!piece.empty() && at_ != place::over) {
    piece.remove_prefix(step(piece));
  }
}

std::optional<std::string> session_scan::result() const {
  return at_ == place::after ? found_ : std::nullopt;
}

// Goes on with `in`, which is not empty, and says how many bytes of it are done with.
std::size_t session_scan::step(std::string_view in) {
  switch (at_) {
    case place::skip_string:
      return skip_string(in);
    case place::read_string:
      return read_string(in);
    case place::nested:
      return skip_nested(in);
    default:
      top_level(in.front());
      return 1;
  }
}

// One byte of the top level outside of strings.
void session_scan::top_level(char c) {
  if (blank(static_cast<unsigned char>(c))) {
    return;
  }
  switch (at_) {
    case place::start:
      return start(c);
    case place::first_key:
    case place::key:
      if (c == '"') {
        return open_string(role::key);
      }
      at_ = c == '}' && at_ == place::first_key ? place::after : place::over;
      return;
    case place::colon:
      at_ = c == ':' ? place::value : place::over;
      return;
    case place::value:
      return value(c);
    case place::scalar:
    case place::after_value:
      if (c == ',' || c == '}') {
        at_ = c == ',' ? place::key : place::after;
      } else if (at_ == place::after_value || structural_byte(c) || c == ':') {
        at_ = place::over;
      }
      return;
    default:
      at_ = place::over;  // something follows the object
  }
}

void session_scan::start(char c) {
  if (bom_ < byte_order_mark.size() && c == byte_order_mark[bom_]) {
    ++bom_;
  } else {
    const bool whole_mark = bom_ == 0 || bom_ == byte_order_mark.size();
    at_ = c == '{' && whole_mark ? place::first_key : place::over;
  }
}

// The first byte of a member's value. An earlier member of the same name is forgotten.
void session_scan::value(char c) {
  if (is_id_) {
    found_.reset();
  }
  if (c == '"') {
    open_string(is_id_ ? role::id : role::other);
  } else if (c == '{' || c == '[') {
    depth_ = 1;
    at_ = place::nested;
  } else {
    at_ = c == ',' || c == ':' || c == '}' || c == ']' ? place::over : place::scalar;
  }
}

std::size_t session_scan::skip_nested(std::string_view in) {
  const std::size_t plain = plain_prefix(in);
  if (plain == in.size()) {
    return plain;
  }
  const char c = in[plain];
  if (c == '"') {
    open_string(role::other);
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (--depth_ == 0) {
    at_ = place::after_value;
  }
  return plain + 1;
}

void session_scan::open_string(role what) {
  string_ = what;
  odd_backslash_ = false;
  escape_ = 0;
  matched_ = 0;
  blank_ = false;
  text_.clear();
  at_ = what == role::other ? place::skip_string : place::read_string;
}

void session_scan::close_string() {
  if (string_ == role::key) {
    is_id_ = at_ == place::read_string && matched_ == wanted.size();
    at_ = place::colon;
    return;
  }
  if (string_ == role::id && at_ == place::read_string && !text_.empty()) {
    found_ = std::move(text_);
  }
  at_ = depth_ == 0 ? place::after_value : place::nested;
}

// A quote ends the string when an even number of backslashes stands before it. Looking for quotes
// alone, and back from each, leaves the other escapes of a long text unvisited.
std::size_t session_scan::skip_string(std::string_view in) {
  for (std::size_t from = 0;;) {
    const std::size_t quote = std::min(in.find('"', from), in.size());
    std::size_t run = quote;
    while (run > 0 && in[run - 1] == '\\') {
      --run;
    }
    bool odd = (quote - run) % 2 == 1;
    if (run == 0) {
      odd = odd != odd_backslash_;
    }
    if (quote == in.size()) {
      odd_backslash_ = odd;
      return quote;
    }
    if (!odd) {
      close_string();
      return quote + 1;
    }
    from = quote + 1;
  }
}

std::size_t session_scan::read_string(std::string_view in) {
  std::size_t i = take_run(in);
  while (i < in.size() && at_ == place::read_string) {
    const char c = in[i++];
    if (escape_ != 0) {
      escaped(c);
    } else if (c == '"') {
      close_string();
    } else if (c == '\\') {
      escape_ = escape_letter;
    } else {
      take(static_cast<unsigned char>(c));
    }
  }
  return i;
}

// What `in` begins with of an id as it should be, in one piece; how much that is.
std::size_t session_scan::take_run(std::string_view in) {
  if (string_ != role::id || escape_ != 0 || blank_) {
    return 0;
  }
  const auto most = in.substr(0, max_session_id - text_.size());
  const auto end =
      std::find_if_not(most.begin(), most.end(), [](char c) { return session_id_character(c); });
  text_.append(most.begin(), end);
  return static_cast<std::size_t>(end - most.begin());
}

// One byte of an escape after its backslash.
void session_scan::escaped(char c) {
  if (escape_ == escape_letter && c == 'u') {
    escape_ = 4;
    unit_ = 0;
    return;
  }
  if (escape_ == escape_letter) {
    escape_ = 0;
    unit_ = unescaped(c);
    return unit_ == 0 ? void(at_ = place::over) : take(unit_);
  }
  if (hex(c) > 15) {
    at_ = place::over;
    return;
  }
  unit_ = static_cast<char16_t>(unit_ * 16 + hex(c));
  if (--escape_ == 0) {
    take(unit_);
  }
}

// One decoded unit of a key or the id: a byte, or a \u escape. Both alphabets are ASCII, so half a
// surrogate pair or one byte of UTF-8 settles the matter as well as the whole character would.
void session_scan::take(char16_t unit) {
  if (string_ == role::id) {
    return take_id(unit);
  }
  if (matched_ < wanted.size() && unit == static_cast<unsigned char>(wanted[matched_])) {
    ++matched_;
  } else {
    at_ = place::skip_string;
  }
}

void session_scan::take_id(char16_t unit) {
  if (text_.empty() && blank(unit)) {
    blank_ = true;
  } else if (!blank_ && unit < 0x80 && session_id_character(static_cast<char>(unit)) &&
             text_.size() < max_session_id) {
    text_ += static_cast<char>(unit);
  } else {
    found_.emplace();
    at_ = place::skip_string;
  }
}

}  // namespace fleet
