// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/interfaces.hpp"
#include "fleet/core/log.hpp"
#include "fleet/core/outcome.hpp"
#include "fleet/http/event_ring.hpp"
#include "fleet/http/lane_threads.hpp"
#include "fleet/http/observers.hpp"
#include "fleet/http/settings.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fleet::http {

/// The listening side: one acceptor per lane on one port (SO_REUSEPORT), connections that stay on
/// the lane that accepted them. All members are called from one thread that is no lane.
class server {
 public:
  /// `events`: what GET /events tells. All but the settings outlive it, what `observers` names as
  /// well.
  server(lane_threads& lanes, const http_settings& settings, logger& log, const event_ring& events,
         server_observers observers = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  /// After close(), and after the lanes have ended.
  ~server();

  /// Takes the port; port 0 picks a free one. Gives the URL served, or why it cannot be had: also
  /// when another process listens there with SO_REUSEPORT, which the system itself would allow.
  [[nodiscard]] outcome<std::string> bind(const std::string& host, std::uint16_t port);

  /// Serves. `fronts`: one for each lane.
  void start(caf::actor_system& system, const std::vector<front_actor>& fronts);

  /// Accepts no more and closes idle connections; requests under way go on.
  void stop_accepting();

  /// Nothing will happen to the fleet any more: who follows the events gets the last ones, and
  /// ends.
  void end_events();

  /// Waits until no connection is left, or for `limit`; true when none is.
  bool wait_until_idle(std::chrono::nanoseconds limit);

  /// Turns are not waited for any longer: ends all connections but those that the admin API owes an
  /// answer.
  void cut_turns();

  /// Ends whatever is still open and waits for it, a few seconds at most.
  void close();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace fleet::http
