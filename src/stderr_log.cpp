// SPDX-License-Identifier: MIT
#include "stderr_log.hpp"

#include "fleet/core/harmless.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <unistd.h>

namespace fleet {

namespace {

std::string_view name_of(log_level level) {
  switch (level) {
    case log_level::debug:
      return "debug";
    case log_level::info:
      return "info";
    case log_level::warn:
      return "warn";
    case log_level::error:
      return "error";
  }
  return "info";
}

/// UTC with milliseconds, RFC 3339.
std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%s.%03dZ", date.data(), static_cast<int>(ms));
  return text.data();
}

/// Some values are a client's own bytes.
std::string quoted(std::string_view text) {
  const auto clean = harmless(text);
  return boost::json::serialize(boost::json::string_view(clean.data(), clean.size()));
}

/// Bare where that is unambiguous, quoted with escapes otherwise: no value can forge a line.
void append_value(std::string& line, const std::string& value) {
  const bool bare = !value.empty() && value.find_first_of(" \"\\=\t") == std::string::npos &&
                    value.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "-_.:/[]@,+%?&!~()'#$*;<>^`{|}") == std::string::npos;
  line.append(bare ? value : quoted(value));
}

}  // namespace

void stderr_log::write(log_level level, std::string_view event,
                       std::initializer_list<log_field> fields) {
  if (level < least_) {
    return;
  }
  std::string line;
  if (format_ == log_format::json) {
    line.append(R"({"time":")").append(timestamp()).append(R"(","level":")");
    line.append(name_of(level)).append(R"(","event":)").append(quoted(event));
    for (const auto& field : fields) {
      line.append(",").append(quoted(field.key)).append(":").append(quoted(field.value));
    }
    line.append("}\n");
  } else {
    line.append(timestamp()).append(" ").append(name_of(level)).append(" ").append(event);
    for (const auto& field : fields) {
      line.append(" ").append(field.key).append("=");
      append_value(line, field.value);
    }
    line.append("\n");
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace fleet
