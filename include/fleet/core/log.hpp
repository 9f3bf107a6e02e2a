// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace fleet {

enum class log_level { debug, info, warn, error };

/// One named value of a log line; never a secret, never a request body.
struct log_field {
  std::string_view key;
  std::string value;
};

/// Where log lines go. Implementations take calls from any thread and never block a lane for long,
/// never throw, and never end the process when the reader of the log is gone.
class logger {
 public:
  logger() = default;
  logger(const logger&) = delete;
  logger& operator=(const logger&) = delete;
  virtual ~logger() = default;

  /// `event` is a stable name in lower_snake_case that scripts may match; the fields say the rest.
  virtual void write(log_level level, std::string_view event,
                     std::initializer_list<log_field> fields) = 0;

  void debug(std::string_view event, std::initializer_list<log_field> fields = {}) {
    write(log_level::debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<log_field> fields = {}) {
    write(log_level::info, event, fields);
  }
  void warn(std::string_view event, std::initializer_list<log_field> fields = {}) {
    write(log_level::warn, event, fields);
  }
  void error(std::string_view event, std::initializer_list<log_field> fields = {}) {
    write(log_level::error, event, fields);
  }
};

}  // namespace fleet
