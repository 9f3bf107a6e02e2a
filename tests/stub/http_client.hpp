// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

/// A response as it came, body decoded from the chunked coding.
struct http_answer {
  int status = 0;  ///< 0: no response
  std::string head;
  std::string body;
  bool complete = false;  ///< the framing said the body is whole

  /// The value of a header, as sent; empty when there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// One blocking connection to 127.0.0.1. Every wait ends after ten seconds at the latest.
class http_client {
 public:
  explicit http_client(std::uint16_t port);
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;
  ~http_client();

  [[nodiscard]] bool connected() const { return socket_ >= 0; }

  bool send(std::string_view bytes) const;
  http_answer get(std::string_view target);
  http_answer post(std::string_view target, std::string_view body);

  /// Sends a POST without waiting for its answer.
  bool begin_post(std::string_view target, std::string_view body) const;

  /// Reads on until `text` was received; false at the end of the connection or of the time.
  bool read_until(std::string_view text);

  /// Reads one whole response.
  http_answer read_answer();

  /// True when the peer closes within `limit` without sending anything more.
  bool closed_within(std::chrono::milliseconds limit);

 private:
  bool read_more();

  int socket_ = -1;
  std::string received_;
};
