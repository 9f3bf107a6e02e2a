// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/wire.hpp"

#include <vector>

namespace fleet::rig {

// A loopback port where connecting neither succeeds nor fails: its backlog is full and nobody
// accepts.
class black_hole {
 public:
  explicit black_hole(std::uint16_t port = 0) : listener_{listen_on("127.0.0.1", port, 0)} {
    do
      queued_.push_back(connect_to("127.0.0.1", this->port(), 200ms));
    while (queued_.back().get() >= 0);
  }
  std::uint16_t port() const { return local_port(listener_.get()); }

 private:
  unique_fd listener_;
  std::vector<unique_fd> queued_;
};

}  // namespace fleet::rig
