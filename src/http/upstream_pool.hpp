// SPDX-License-Identifier: MIT
#pragma once

#include "metrics.hpp"
#include "tls_contexts.hpp"
#include "upstream.hpp"

#include "fleet/actors/lane_bound.hpp"
#include "fleet/core/replica.hpp"
#include "fleet/http/settings.hpp"

#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace fleet::http {

/// What one lane knows of one replica instance, and its idle connections to it.
struct pooled_replica {
  replica_spec spec;
  std::string authority;  ///< for the Host field
  std::shared_ptr<asio::ssl::context> tls;
  error_code tls_error;  ///< the CA file cannot be used: every connect fails with this
  std::vector<std::shared_ptr<upstream>> idle;  ///< most recently used last
  steady_clock::time_point used;
  std::shared_ptr<replica_meter> meter;
};

/// The connections of one lane to all replicas, kept per instance so that none outlives its
/// replica's life: a new instance on the old address begins without any. Belongs to one lane.
class upstream_pool {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  upstream_pool(executor lane, deadline_wheel& wheel, tls_contexts& tls, lane_meter& meter,
                const http_settings& settings)
      : lane_(lane), wheel_(wheel), tls_(tls), meter_(meter), settings_(settings) {}

  /// nullptr when this lane has not met the instance yet (or not for long).
  [[nodiscard]] std::shared_ptr<pooled_replica> find(instance_id instance);
  std::shared_ptr<pooled_replica> add(instance_id instance, replica_spec spec);

  /// An idle connection that still stands, as far as can be seen without asking the peer; nullptr
  /// when there is none.
  [[nodiscard]] std::shared_ptr<upstream> take(pooled_replica& replica);
  /// A connection not connected yet. At the limit an idle one goes for it.
  [[nodiscard]] std::shared_ptr<upstream> make(const pooled_replica& replica);
  /// Connects what make() gave, within --connect-timeout. Out of descriptors, idle connections to
  /// whatever replica are closed until it can be done.
  awaitable<error_code> connect(const pooled_replica& replica,
                                const std::shared_ptr<upstream>& connection, resolver_pool& names);
  /// Keeps a connection whose exchange ended cleanly; closes any other.
  void give_back(const std::shared_ptr<pooled_replica>& replica,
                 const std::shared_ptr<upstream>& connection);

  /// Limits the connections, those in use included, to `most` by closing idle ones, the oldest
  /// first; from now on, too.
  void fit(std::size_t most);

  /// Connections that stand idle.
  [[nodiscard]] std::size_t idle_count() const;

  /// Closes everything idle.
  void clear();

 private:
  void drop_unused();
  [[nodiscard]] std::size_t open_count() const;
  /// False when none is idle.
  bool close_oldest();
  void leave(std::size_t most);

  [[no_unique_address]] lane_bound bound_;
  executor lane_;
  deadline_wheel& wheel_;
  tls_contexts& tls_;
  lane_meter& meter_;
  const http_settings& settings_;
  std::unordered_map<instance_id, std::shared_ptr<pooled_replica>> replicas_;
  /// One owner, and one more for each open connection.
  std::shared_ptr<void> places_ = std::make_shared<char>();
  std::size_t most_ = unlimited;
};

}  // namespace fleet::http
