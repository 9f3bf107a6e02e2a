// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace fleet::http {

/// Received bytes not used up yet, in one piece. The memory moves only in make_room(), so views
/// into data() and a read under way into room() stay valid across consume(), which a dynamic buffer
/// of Asio or Beast does not promise.
class byte_buffer {
 public:
  [[nodiscard]] std::string_view data() const { return {memory_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }

  /// Free bytes behind the data.
  [[nodiscard]] std::span<char> room() { return {memory_.get() + end_, capacity_ - end_}; }

  /// The first n bytes of room() are data now.
  void commit(std::size_t n) { end_ += n; }

  /// The first n bytes of data() are used up; n <= size().
  void consume(std::size_t n) { begin_ += n; }

  /// Makes room() at least `least` (for data up to `limit` in all), moving the data to the front or
  /// to larger memory. False when the data fill `limit`.
  bool make_room(std::size_t least, std::size_t limit) {
    if (empty()) {
      begin_ = end_ = 0;
      if (capacity_ / 4 > least) {
        memory_.reset();
        capacity_ = 0;
      }
    }
    if (capacity_ - end_ >= least) {
      return true;
    }
    if (size() >= limit) {
      return false;
    }
    const std::size_t wanted = std::min(limit, std::max(size() + least, size() * 2));
    if (wanted <= capacity_) {
      std::memmove(memory_.get(), memory_.get() + begin_, size());
    } else {
      auto larger = std::make_unique_for_overwrite<char[]>(wanted);
      if (!empty()) {
        std::memcpy(larger.get(), memory_.get() + begin_, size());
      }
      memory_ = std::move(larger);
      capacity_ = wanted;
    }
    end_ = size();
    begin_ = 0;
    return true;
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace fleet::http
