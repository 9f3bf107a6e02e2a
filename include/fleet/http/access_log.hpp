// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/log.hpp"
#include "fleet/core/outcome.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fleet::http {

/// One turn as the access log tells it. The texts may hold any bytes.
struct access_entry {
  std::chrono::system_clock::time_point at;  ///< its end
  std::string client;                        ///< address
  std::string method;
  std::string path;             ///< without the query
  std::string_view route;       ///< see turn_routes
  int status = 0;               ///< what the client got; 0: nothing
  std::string_view code;        ///< of the router's own error; empty: none
  std::string session;          ///< empty: none
  std::string replica;          ///< empty: none
  std::string_view affinity;    ///< hit, miss, moved or none; empty: no replica was chosen
  std::string_view why;         ///< of the affinity
  std::uint64_t bytes_in = 0;   ///< of the body
  std::uint64_t bytes_out = 0;  ///< of the body
  std::uint64_t pieces = 0;     ///< of the body, as they went out
  std::optional<std::chrono::nanoseconds> first_byte;  ///< from the whole request to the answer
  std::chrono::nanoseconds total{0};                   ///< from the whole request to the end
  std::string end;                                     ///< a turn_outcome, or `refused`
  std::string request_id;
  std::string trace;  ///< trace id of W3C Trace Context; empty: none
};

/// The line for an entry, with its newline: a JSON object, valid UTF-8 whatever the texts hold.
[[nodiscard]] std::string access_line(const access_entry& entry);

/// Writes a line for each turn, on a thread of its own: a slow disk never slows a turn. When more
/// lines wait than it keeps, or when they cannot be written, lines are dropped: they are counted,
/// and the log says once that it has begun. All members may be called from any thread.
class access_log {
 public:
  /// Lines that wait at most.
  static constexpr std::size_t most_waiting = 8192;

  /// Appends to `file`, mode 0640 when new; `-`: standard output. `log` must outlive it. The
  /// failure says why it cannot be opened.
  [[nodiscard]] static outcome<std::unique_ptr<access_log>> open(std::string file, logger& log);
  access_log(const access_log&) = delete;
  access_log& operator=(const access_log&) = delete;
  /// Writes what waits, for three seconds at most.
  ~access_log();

  /// Never waits for the disk.
  void add(access_entry entry);

  /// Opens the file of this name anew, behind the lines that wait: after it was renamed. Where it
  /// cannot, the open one stays.
  void reopen();

  [[nodiscard]] std::uint64_t written() const;
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  struct state;
  explicit access_log(std::shared_ptr<state> made);

  std::shared_ptr<state> state_;
};

}  // namespace fleet::http
