// SPDX-License-Identifier: MIT
#pragma once

#include "lane.hpp"
#include "net.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fleet::http {

/// One acceptor per executor, all on `where` (SO_REUSEPORT); its port becomes the one bound. Fails
/// when anybody else listens there.
[[nodiscard]] std::vector<tcp_acceptor> open_acceptors(const std::vector<executor>& lanes,
                                                       tcp::endpoint& where, error_code& ec);

/// All lanes of the process, and how many clients they may have together. One for each lane that
/// accepts at that moment may come on top.
struct client_room {
  std::vector<lane_services*> lanes;
  std::size_t most = 0;

  [[nodiscard]] std::size_t clients() const;
  /// Has each lane but `mine` close an idle connection, unless `mine` has one itself.
  void make_some(lane_services& mine) const;
  /// Where a client that `mine` has accepted is served: there, unless another lane has clearly
  /// fewer. The kernel spreads connections by chance, and streams stay where they begin.
  [[nodiscard]] lane_services& place(lane_services& mine) const;
};

/// Accepts on one lane. Out of descriptors, or of room, it pauses, says so now and then, and goes
/// on by itself when there is some; the kernel's backlog holds the clients meanwhile.
class listener : public std::enable_shared_from_this<listener> {
 public:
  listener(lane_services& lane, tcp_acceptor acceptor, const client_room& room)
      : lane_(lane), acceptor_(std::move(acceptor)), pause_(lane.where), room_(room) {}

  void start();
  void stop();

 private:
  /// Between two pauses that are told of: at the limit each client that goes would make two lines.
  static constexpr std::chrono::seconds quiet{10};

  awaitable<void> run();
  /// In the kernel's queue.
  [[nodiscard]] bool somebody_waits();
  void take(tcp_socket socket);
  awaitable<void> starve(std::string reason);
  void go_on();

  lane_services& lane_;
  tcp_acceptor acceptor_;
  steady_timer pause_;
  const client_room& room_;
  bool starved_ = false;
  bool told_ = false;  ///< the log knows of the pause under way
  steady_clock::time_point last_told_ = steady_clock::now() - quiet;
  std::uint64_t untold_ = 0;
};

}  // namespace fleet::http
