// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace fleet::ctl {

namespace {

/// A character at the start of a text; size 0: no UTF-8.
struct glyph {
  std::uint32_t code = 0;
  std::size_t size = 0;
};

glyph first_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xc2 ? 0
                           : lead < 0xe0 ? 2
                           : lead < 0xf0 ? 3
                           : lead < 0xf5 ? 4
                                         : 0;
  if (size == 0 || size > text.size()) {
    return {};
  }
  std::uint32_t code = size == 1 ? lead : lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) {
      return {};
    }
    code = code << 6 | (next & 0x3f);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool no_character = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return overlong || no_character ? glyph{} : glyph{code, size};
}

using range = std::pair<std::uint32_t, std::uint32_t>;

template <std::size_t N>
bool in_any(const std::array<range, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](range r) { return r.first <= code && code <= r.second; });
}

/// Controls, and marks that turn the direction of writing or break lines.
bool harmful(std::uint32_t code) {
  static constexpr std::array<range, 6> ranges{{{0x0, 0x1f},
                                                {0x7f, 0x9f},
                                                {0x200e, 0x200f},
                                                {0x2028, 0x202e},
                                                {0x2066, 0x2069},
                                                {0xfeff, 0xfeff}}};
  return in_any(ranges, code);
}

std::size_t columns_of(std::uint32_t code) {
  static constexpr std::array<range, 4> none{
      {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}}};
  static constexpr std::array<range, 9> two{{{0x1100, 0x115f},
                                             {0x2e80, 0xa4cf},
                                             {0xac00, 0xd7a3},
                                             {0xf900, 0xfaff},
                                             {0xfe30, 0xfe6f},
                                             {0xff00, 0xff60},
                                             {0xffe0, 0xffe6},
                                             {0x1f300, 0x1f9ff},
                                             {0x20000, 0x3fffd}}};
  return in_any(none, code) ? 0 : in_any(two, code) ? 2 : 1;
}

std::string cleaned(std::string_view text, bool lines_stay) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_glyph(text);
    const auto size = std::max<std::size_t>(next.size, 1);
    if (next.size == 1 && (text[0] == '\n' || text[0] == '\t')) {
      out += lines_stay ? text[0] : ' ';
    } else if (text.starts_with("\r\n")) {
      // The line end behind it counts.
    } else if (next.size == 0 || harmful(next.code)) {
      out += '?';
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return cleaned(text, false);
}

std::string printable_lines(std::string_view text) {
  return cleaned(text, true);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto next = first_glyph(text);
    columns += next.size == 0 ? 1 : columns_of(next.code);
    text.remove_prefix(std::max<std::size_t>(next.size, 1));
  }
  return columns;
}

std::string clipped(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) {
    return std::string(text);
  }
  const std::string_view mark =
      std::string_view("...").substr(0, std::min<std::size_t>(columns, 3));
  std::size_t left = columns - mark.size();
  std::size_t kept = 0;
  while (kept < text.size()) {
    const auto next = first_glyph(text.substr(kept));
    const auto width = next.size == 0 ? 1 : columns_of(next.code);
    if (width > left) {
      break;
    }
    left -= width;
    kept += std::max<std::size_t>(next.size, 1);
  }
  return std::string(text.substr(0, kept)).append(mark);
}

std::string span_text(std::chrono::nanoseconds span) {
  const auto seconds =
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(span).count());
  const auto two = [](std::int64_t more, const char* big, std::int64_t less, const char* small) {
    return std::to_string(more) + big + (less == 0 ? "" : std::to_string(less) + small);
  };
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  constexpr std::int64_t day = 24 * hour;
  if (seconds < minute) {
    return std::to_string(seconds) + "s";
  }
  if (seconds < hour) {
    return two(seconds / minute, "m", seconds % minute, "s");
  }
  if (seconds < day) {
    return two(seconds / hour, "h", seconds % hour / minute, "m");
  }
  return two(seconds / day, "d", seconds % day / hour, "h");
}

std::optional<std::chrono::system_clock::time_point> utc_time(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00Z";
  if (text.size() != shape.size()) {
    return std::nullopt;
  }
  std::array<int, 6> parts{};
  std::size_t part = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == '0' ? !digit : text[i] != shape[i]) {
      return std::nullopt;
    }
    if (digit) {
      parts[part] = parts[part] * 10 + (text[i] - '0');
    } else {
      ++part;
    }
  }
  using namespace std::chrono;
  const year_month_day date{year{parts[0]}, month{static_cast<unsigned>(parts[1])},
                            day{static_cast<unsigned>(parts[2])}};
  if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) {
    return std::nullopt;
  }
  return sys_days{date} + hours{parts[3]} + minutes{parts[4]} + seconds{parts[5]};
}

}  // namespace fleet::ctl
