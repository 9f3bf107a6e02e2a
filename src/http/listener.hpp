// SPDX-License-Identifier: MIT
#pragma once

#include "lane.hpp"
#include "net.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace fleet::http {

/// One acceptor per executor, all on `where` (SO_REUSEPORT); its port becomes the one bound. Fails
/// when anybody else listens there.
[[nodiscard]] std::vector<tcp_acceptor> open_acceptors(const std::vector<executor>& lanes,
                                                       tcp::endpoint& where, error_code& ec);

/// How many clients one of `lanes` lanes may hold, so that there are descriptors left for the
/// connections to replicas: derived from the process's limit.
[[nodiscard]] std::size_t clients_per_lane(std::size_t lanes);

/// Accepts on one lane. Out of descriptors, or full, it pauses, says so once, and goes on by itself
/// when there is room; the kernel's backlog holds the clients meanwhile.
class listener : public std::enable_shared_from_this<listener> {
 public:
  listener(lane_services& lane, tcp_acceptor acceptor, std::size_t most)
      : lane_(lane), acceptor_(std::move(acceptor)), pause_(lane.where), most_(most) {}

  void start();
  void stop();

 private:
  awaitable<void> run();
  awaitable<void> wait(std::chrono::milliseconds time);

  lane_services& lane_;
  tcp_acceptor acceptor_;
  steady_timer pause_;
  std::size_t most_;
  bool starved_ = false;
};

}  // namespace fleet::http
