// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"

#include <cstdint>
#include <deque>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

namespace fleet::sim {

/// What happened, as a number: two runs are the same when their hashes are. With `lines` above zero
/// the last so many events are kept as text, too; that costs time and changes nothing else.
class trace {
 public:
  explicit trace(std::size_t lines = 0) : lines_(lines) {}

  void note(moment now, std::string_view what, std::string_view about = {},
            std::string_view detail = {}) {
    mix(static_cast<std::uint64_t>(now.count()));
    mix(what);
    mix(about);
    mix(detail);
    if (lines_ > 0)
      keep(now, what, about, detail);
  }

  /// One actor has handled one message. `content` is called only when text is kept.
  template <class Content>
  void message(moment now, std::string_view actor, const Content& content) {
    mix(static_cast<std::uint64_t>(now.count()));
    mix(actor);
    if (lines_ > 0)
      keep(now, "  >", actor, content());
  }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] bool verbose() const { return lines_ > 0; }
  [[nodiscard]] const std::deque<std::string>& last() const { return last_; }

 private:
  void mix(std::uint64_t x) {
    hash_ ^= x;
    hash_ *= 0x100000001b3U;
    hash_ ^= hash_ >> 29U;
  }

  void mix(std::string_view text) {
    for (const char c : text)
      mix(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    mix(text.size());
  }

  void keep(moment now, std::string_view what, std::string_view about, std::string_view detail) {
    std::ostringstream line;
    line << std::fixed << std::setprecision(3) << std::setw(10)
         << std::chrono::duration<double>(now).count() << ' ' << what << ' ' << about;
    if (!detail.empty())
      line << ": " << detail;
    last_.push_back(line.str());
    if (last_.size() > lines_)
      last_.pop_front();
  }

  std::size_t lines_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  std::deque<std::string> last_;
};

}  // namespace fleet::sim
