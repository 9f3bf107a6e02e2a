// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/config/settings.hpp"
#include "fleet/core/log.hpp"

namespace fleet {

/// Log lines on standard error, each written whole by one system call so that lines of several
/// threads never mix. A reader that has gone is no reason to stop: the lines are lost.
class stderr_log final : public logger {
 public:
  stderr_log(log_level least, log_format format) : least_(least), format_(format) {}

  void write(log_level level, std::string_view event,
             std::initializer_list<log_field> fields) override;

 private:
  log_level least_;
  log_format format_;
};

}  // namespace fleet
