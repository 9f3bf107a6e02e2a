// SPDX-License-Identifier: MIT
#include "event_stream.hpp"

#include <algorithm>
#include <charconv>

namespace fleet::ctl {

std::optional<stream_message> stream_reader::next() {
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    auto line = rest_.substr(0, end);
    rest_.erase(0, end + 1);
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!line.empty()) {
      take(line);
    } else if (std::exchange(any_, false)) {
      return std::exchange(open_, {});
    }
  }
  return std::nullopt;
}

void stream_reader::take(std::string_view line) {
  const auto colon = std::min(line.find(':'), line.size());
  const auto field = line.substr(0, colon);
  auto value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  auto* const into = field == "id"      ? &open_.id
                     : field == "event" ? &open_.name
                     : field == "data"  ? &open_.data
                                        : nullptr;
  if (into != nullptr) {
    *into = value;
    any_ = true;
  }
}

std::uint64_t number_of_event(std::string_view id) {
  const auto dash = id.rfind('-');
  std::uint64_t number = 0;
  if (dash != std::string_view::npos) {
    std::from_chars(id.data() + dash + 1, id.data() + id.size(), number);
  }
  return number;
}

std::string_view boot_of_event(std::string_view id) {
  return id.substr(0, id.rfind('-'));
}

}  // namespace fleet::ctl
