// SPDX-License-Identifier: MIT
#pragma once

#include "byte_buffer.hpp"
#include "net.hpp"
#include "parked.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace fleet::http {

/// The receiving side of a connection. A read can stay under way while nobody waits for bytes: that
/// is how a client's leaving is seen during a silent prefill, how a replica's early answer is seen
/// during an upload, and how a pooled connection's end is seen before it is used again. What such a
/// read brings is kept, so a pipelined request is neither lost nor taken for a hang-up.
///
/// Belongs to one lane. `keep` in arm() is the owner of stream and inbound; the read holds it.
template <class Stream>
class inbound {
 public:
  /// `chunk`: room for one read at most; `limit`: bytes held at most, reading pauses there.
  inbound(Stream& stream, std::size_t chunk, std::size_t limit)
      : stream_(stream), chunk_(chunk), limit_(limit), next_(std::min(first_chunk, chunk)) {}
  inbound(const inbound&) = delete;
  inbound& operator=(const inbound&) = delete;

  byte_buffer& bytes() { return bytes_; }

  /// Why no more bytes will come; no error while they may.
  [[nodiscard]] error_code failure() const { return failure_; }

  /// Starts a read unless one is under way, the stream has ended, or the buffer is full. Views into
  /// bytes() are invalid afterwards unless a read was under way already.
  void arm(std::shared_ptr<void> keep) {
    if (reading_ || failure_ || !bytes_.make_room(next_, limit_)) {
      return;
    }
    reading_ = true;
    const auto room = bytes_.room();
    asked_ = room.size();
    stream_.async_read_some(
        asio::buffer(room.data(), room.size()),
        [this, keep = std::move(keep)](error_code ec, std::size_t n) { received(ec, n); });
  }

  [[nodiscard]] bool reading() const { return reading_; }

  /// Called at each end of a read while nobody waits in more(); nullptr: nobody cares.
  void on_change(std::function<void()> callback) { changed_ = std::move(callback); }

  /// Waits for more bytes than there are now, or for the end: then the error says which.
  awaitable<error_code> more(std::shared_ptr<void> keep) {
    if (failure_) {
      co_return failure_;
    }
    if (!reading_) {
      arm(std::move(keep));
      if (!reading_) {
        co_return asio::error::no_buffer_space;
      }
    }
    const auto [ec] = co_await asio::async_initiate<decltype(use_tuple), void(error_code)>(
        [this](auto handler) { waiting_.park(std::move(handler)); }, use_tuple);
    co_return ec;
  }

 private:
  /// Holds a usual turn, or many events. Ten thousand open streams keep this much each; who sends
  /// more is read in larger pieces.
  static constexpr std::size_t first_chunk = 2 * 1024;

  void received(error_code ec, std::size_t n) {
    reading_ = false;
    bytes_.commit(n);
    if (n == asked_) {
      next_ = std::min(chunk_, next_ * 4);
    } else if (n < next_ / 8) {
      next_ = std::min(first_chunk, chunk_);
    }
    failure_ = ec;
    if (waiting_) {
      waiting_.resume(ec);
    } else if (changed_) {
      // The callback may replace itself.
      const auto callback = changed_;
      callback();
    }
  }

  Stream& stream_;
  std::size_t chunk_;
  std::size_t limit_;
  std::size_t next_;       // room for the next read
  std::size_t asked_ = 0;  // room of the read under way
  byte_buffer bytes_;
  error_code failure_;
  bool reading_ = false;
  std::function<void()> changed_;
  parked<error_code> waiting_;
};

}  // namespace fleet::http
