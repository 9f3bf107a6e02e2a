// SPDX-License-Identifier: MIT
#pragma once

#include "body_budget.hpp"
#include "deadline_wheel.hpp"
#include "event_source.hpp"
#include "fleet_port.hpp"
#include "lane_thread.hpp"
#include "net.hpp"
#include "resolver_pool.hpp"
#include "upstream_pool.hpp"

#include "fleet/actors/lane_bound.hpp"
#include "fleet/core/log.hpp"
#include "fleet/http/settings.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace fleet::http {

/// A client's connection as its lane sees it: in the list while it lives.
class lane_client : public boost::intrusive::list_base_hook<
                        boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~lane_client() = default;

  /// The router stops: goes at once when no request has begun, after its answer otherwise.
  virtual void stop_when_idle() = 0;
  /// Room is wanted: goes when it has waited for a request for longer than `time`; whether it went.
  virtual bool stop_if_idle(std::chrono::nanoseconds time) = 0;
  /// The drain is over: goes at once unless it waits for an answer of the admin API.
  virtual void stop_turn() = 0;
  /// At once; an exchange under way sees its client gone.
  virtual void close() = 0;
};

/// Fresh 128-bit ids from the system's CSPRNG, drawn in blocks. Belongs to one lane.
class id_source {
 public:
  /// 32 lower-case hex digits.
  [[nodiscard]] std::string next();

 private:
  std::array<std::uint8_t, 512> block_{};
  std::size_t used_ = block_.size();
};

/// Tells the log of requests without the admin token, and not of each one: a client that guesses
/// must not fill the disk. Belongs to one lane.
class refusal_count {
 public:
  void note(logger& log, const std::string& client);

 private:
  static constexpr std::chrono::seconds pause{10};
  steady_clock::time_point told_ = steady_clock::now() - pause;
  std::uint64_t untold_ = 0;
};

class access_log;
struct scraped_router;

/// What the connections of one lane share. Lives as long as the lane's io_context.
struct lane_services {
  lane_services(lane_thread& lane, resolver_pool& resolver, tls_contexts& tls,
                std::unique_ptr<fleet_port> port, const http_settings& configured, logger& sink,
                event_source& happened, body_budget& held);
  ~lane_services();

  /// Closes the connection that was opened first of those that have waited for a request for longer
  /// than a moment; whether there was one.
  bool make_room();
  /// Closes connections to replicas that there is no room for any longer: a lane keeps as many as
  /// it has clients, or its share of those that any lane may keep.
  void fit_pool();

  [[no_unique_address]] lane_bound bound;
  executor where;
  const http_settings& settings;
  resolver_pool& names;
  logger& log;
  event_source& events;
  body_budget& bodies;
  deadline_wheel& wheel;
  lane_meter& meter;
  upstream_pool pool;
  std::size_t pool_share = upstream_pool::unlimited;  ///< set before the lane serves
  id_source ids;
  refusal_count unauthorized;
  std::unique_ptr<fleet_port> fleet;
  const scraped_router* scraped = nullptr;  ///< set before the lane serves
  access_log* access = nullptr;             ///< set before the lane serves; null: there is none
  boost::intrusive::list<lane_client, boost::intrusive::constant_time_size<false>> clients;
  std::atomic<std::size_t> client_count = 0;  ///< any thread may read it
  std::atomic<std::size_t> arriving = 0;      ///< clients on their way from other lanes
  bool stopping = false;     ///< answers close their connection, idle connections go
  bool fleet_ended = false;  ///< nothing will happen to the fleet any more
};

}  // namespace fleet::http
