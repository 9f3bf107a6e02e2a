// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/message.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace fleet::rig {

// A client that sends exactly the bytes it is told to.
class raw_client : public wire {
 public:
  explicit raw_client(std::uint16_t port, const std::string& host = "127.0.0.1");

  // The next response, interim ones included. status() is 0 when none came. `method` is that of
  // the request it answers.
  message read_response(std::string_view method = "POST", milliseconds limit = patience);
  // The same; `on_piece` sees the response so far after each piece of its body.
  message read_response_by_pieces(std::function<void(const message&)> on_piece,
                                  milliseconds limit = patience);
  // Its head only; the body is left unread.
  message read_response_head(milliseconds limit = patience);
};

// Clients that are all connected.
std::vector<std::unique_ptr<raw_client>> many_clients(std::uint16_t port, std::size_t count);

// Sends `request` on a fresh connection, reads one response, closes.
message exchange_once(std::uint16_t port, std::string_view request,
                      std::string_view method = "POST", milliseconds limit = patience);
// GET of `target` with Connection: close.
message get(std::uint16_t port, std::string_view target);

}  // namespace fleet::rig
