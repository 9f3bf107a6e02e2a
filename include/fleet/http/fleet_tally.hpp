// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"

#include <initializer_list>
#include <memory>
#include <string_view>

namespace fleet::http {

struct tally_counts;

/// A logger that passes every line on and counts what the lines say happened to the fleet:
/// launches, losses, abandoned slots, stops that nobody could confirm, drains. Calls come from any
/// thread.
class fleet_tally final : public logger {
 public:
  /// `next` must outlive it.
  explicit fleet_tally(logger& next);
  ~fleet_tally() override;

  void write(log_level level, std::string_view event,
             std::initializer_list<log_field> fields) override;

  /// For this room only.
  [[nodiscard]] const tally_counts& counts() const { return *counts_; }

 private:
  logger& next_;
  std::unique_ptr<tally_counts> counts_;
};

}  // namespace fleet::http
