// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include <boost/asio/error.hpp>

#include <cstddef>

namespace fleet::http {

/// Sends as much of `buffers` as the connection takes at this moment, by one system call; gives the
/// number of bytes, `ec` is set when no more will ever go. Nearly every head, answer and event
/// goes whole, and an operation of Asio's for it would cost as much again as the call itself. The
/// socket must be non-blocking.
template <class Buffers>
std::size_t send_now(tcp_socket& socket, const Buffers& buffers, error_code& ec) {
  const auto sent = socket.write_some(buffers, ec);
  if (ec == asio::error::would_block || ec == asio::error::try_again) {
    ec = {};
  }
  return sent;
}

}  // namespace fleet::http
