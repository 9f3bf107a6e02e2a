// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/deadline.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

struct ssl_st;

namespace fleet::rig {

// An owned descriptor; closed when it goes.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_{fd} {}
  unique_fd(unique_fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  unique_fd& operator=(unique_fd&& other) noexcept;
  ~unique_fd() { reset(); }
  int get() const { return fd_; }
  void reset();

 private:
  int fd_ = -1;
};

// A socket listening on the loopback address `host` (IPv4 or IPv6); port 0 picks a free one.
// `backlog` as for listen(2). Throws std::system_error.
unique_fd listen_on(const std::string& host, std::uint16_t port, int backlog = 256);
std::uint16_t local_port(int fd);
// Invalid (-1) when nothing accepts within `limit`.
unique_fd connect_to(const std::string& host, std::uint16_t port, milliseconds limit = patience);

enum class read_state { data, end, reset, timeout };

// One end of a byte stream, plain or TLS. Reads and writes block the calling thread up to a limit.
// One thread may read while another writes (plain only); `interrupt` may come from any thread.
class wire {
 public:
  explicit wire(unique_fd fd = {}, ssl_st* tls = nullptr);
  ~wire();
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  bool open() const { return fd_.get() >= 0; }
  int fd() const { return fd_.get(); }

  // False when the peer is gone or did not take all of it in time.
  bool send(std::string_view bytes, milliseconds limit = patience);
  // Reads once and appends to `unread`.
  read_state fill(milliseconds limit = patience);
  // Bytes that have arrived and were not consumed yet.
  std::string& unread() { return unread_; }
  // When the last byte arrived.
  clock::time_point last_read() const { return last_read_; }
  // Reads until `text` stands in `unread`; consumes nothing.
  bool wait_for(std::string_view text, milliseconds limit = patience);
  // Reads on, keeping what comes, until the peer ends the stream: `end`, `reset` or `timeout`.
  read_state wait_end(milliseconds limit = patience);

  // Sends FIN and goes on reading.
  void half_close();
  void close();
  // Closes with RST.
  void rst();
  // Ends both directions under a thread that is blocked here.
  void interrupt();

 private:
  std::mutex closing_;
  unique_fd fd_;
  ssl_st* tls_ = nullptr;
  std::string unread_;
  clock::time_point last_read_{};
};

}  // namespace fleet::rig
