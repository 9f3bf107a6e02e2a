// SPDX-License-Identifier: MIT
#include "stderr_log.hpp"

#include "fleet/core/harmless.hpp"
#include "fleet/core/timestamp.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <chrono>
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
  const auto now = to_timestamp(std::chrono::system_clock::now());
  std::string line;
  if (format_ == log_format::json) {
    line.append(R"({"time":")").append(now).append(R"(","level":")");
    line.append(name_of(level)).append(R"(","event":)").append(quoted(event));
    for (const auto& field : fields) {
      line.append(",").append(quoted(field.key)).append(":").append(quoted(field.value));
    }
    line.append("}\n");
  } else {
    line.append(now).append(" ").append(name_of(level)).append(" ").append(event);
    for (const auto& field : fields) {
      line.append(" ").append(field.key).append("=");
      append_value(line, field.value);
    }
    line.append("\n");
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace fleet
