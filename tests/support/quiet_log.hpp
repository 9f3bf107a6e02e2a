// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// Keeps the events written to it and shows nothing.
class quiet_log final : public logger {
 public:
  void write(log_level level, std::string_view event,
             std::initializer_list<log_field> fields) override {
    const std::lock_guard guard(mutex_);
    events_.emplace_back(event);
    last_.clear();
    for (const auto& x : fields)
      last_ += (last_.empty() ? "" : " ") + std::string(x.key) + "=" + std::string(x.value);
    last_of_[std::string(event)] = last_;
    errors_ += level == log_level::error ? 1 : 0;
  }

  [[nodiscard]] std::size_t count(std::string_view event) const {
    const std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(std::count(events_.begin(), events_.end(), event));
  }

  /// The fields of the last event: "key=value key=value".
  [[nodiscard]] std::string last() const {
    const std::lock_guard guard(mutex_);
    return last_;
  }

  /// The same of the last one with that name; empty: there was none.
  [[nodiscard]] std::string last(const std::string& event) const {
    const std::lock_guard guard(mutex_);
    const auto found = last_of_.find(event);
    return found == last_of_.end() ? std::string() : found->second;
  }

  /// Lines of level error so far: defects.
  [[nodiscard]] std::size_t errors() const {
    const std::lock_guard guard(mutex_);
    return errors_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> events_;
  std::string last_;
  std::map<std::string, std::string> last_of_;
  std::size_t errors_ = 0;
};

}  // namespace fleet
