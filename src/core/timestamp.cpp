// SPDX-License-Identifier: MIT
#include "fleet/core/timestamp.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>

namespace fleet {

namespace {

using namespace std::chrono;

constexpr int first_year = 1678;
constexpr int last_year = 2261;

std::string digits(long value, std::size_t width) {
  auto text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

/// Takes one text apart from the left; once something did not fit, nothing does.
class reader {
 public:
  explicit reader(std::string_view text) : left_(text) {}

  /// Exactly `width` digits, from `lowest` to `highest`.
  int number(std::size_t width, int lowest, int highest) {
    int value = 0;
    const auto piece = left_.substr(0, width);
    const bool fits = piece.size() == width && all_digits(piece);
    if (fits) {
      std::from_chars(piece.data(), piece.data() + width, value);
      left_.remove_prefix(width);
    }
    good_ = good_ && fits && value >= lowest && value <= highest;
    return value;
  }

  /// One of these characters, in either case; 0 when it is none of them.
  char one_of(std::string_view set) {
    const bool fits = !left_.empty() && set.find(left_.front()) != std::string_view::npos;
    good_ = good_ && fits;
    if (!fits) {
      return 0;
    }
    const char found = left_.front();
    left_.remove_prefix(1);
    return found;
  }

  /// `.` and digits, if there are any; digits beyond the ninth count for nothing.
  nanoseconds fraction() {
    if (left_.empty() || left_.front() != '.') {
      return 0ns;
    }
    left_.remove_prefix(1);
    const auto width = std::min(left_.find_first_not_of("0123456789"), left_.size());
    good_ = good_ && width > 0;
    long value = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      value = value * 10 + (i < width ? left_[i] - '0' : 0);
    }
    left_.remove_prefix(width);
    return nanoseconds(value);
  }

  [[nodiscard]] bool done() const { return good_ && left_.empty(); }

 private:
  static bool all_digits(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  std::string_view left_;
  bool good_ = true;
};

minutes offset(reader& in) {
  const char sign = in.one_of("Zz+-");
  if (sign != '+' && sign != '-') {
    return 0min;
  }
  const hours whole(in.number(2, 0, 23));
  in.one_of(":");
  const minutes both = whole + minutes(in.number(2, 0, 59));
  return sign == '-' ? -both : both;
}

}  // namespace

std::string to_timestamp(wall_time time) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  return digits(static_cast<int>(date.year()), 4) + "-" +
         digits(static_cast<unsigned>(date.month()), 2) + "-" +
         digits(static_cast<unsigned>(date.day()), 2) + "T" + digits(clock.hours().count(), 2) +
         ":" + digits(clock.minutes().count(), 2) + ":" + digits(clock.seconds().count(), 2) + "." +
         digits(clock.subseconds().count(), 3) + "Z";
}

std::optional<wall_time> parse_timestamp(std::string_view text) {
  reader in(text);
  const year y(in.number(4, first_year, last_year));
  in.one_of("-");
  const month m(static_cast<unsigned>(in.number(2, 1, 12)));
  in.one_of("-");
  const day d(static_cast<unsigned>(in.number(2, 1, 31)));
  in.one_of("Tt ");
  auto clock = nanoseconds(hours(in.number(2, 0, 23)));
  in.one_of(":");
  clock += minutes(in.number(2, 0, 59));
  in.one_of(":");
  clock += seconds(in.number(2, 0, 60));  // 60: a leap second
  clock += in.fraction();
  clock -= offset(in);
  if (!in.done() || !(y / m / d).ok()) {
    return std::nullopt;
  }
  const auto time = wall_time(sys_days(y / m / d)) + clock;
  // An offset may lead out of the years that can be written again.
  const int utc_year(year_month_day(floor<days>(time)).year());
  return utc_year < first_year || utc_year > last_year ? std::nullopt : std::optional(time);
}

}  // namespace fleet
