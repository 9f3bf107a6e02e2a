// SPDX-License-Identifier: MIT
#include "lane.hpp"

#include "client_connection.hpp"

#include "fleet/core/session_id.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

namespace fleet::http {

void refusal_count::note(logger& log, const std::string& client) {
  const auto now = steady_clock::now();
  if (now - told_ < pause) {
    ++untold_;
    return;
  }
  told_ = now;
  log.warn("admin_unauthorized",
           {{"client", client}, {"not_logged_before", std::to_string(std::exchange(untold_, 0))}});
}

std::string id_source::next() {
  if (used_ == block_.size()) {
    // Without random bytes ids could be guessed or repeat; there is no going on.
    if (RAND_bytes(block_.data(), static_cast<int>(block_.size())) != 1) {
      std::abort();
    }
    used_ = 0;
  }
  const std::span<const std::uint8_t, 16> bytes(block_.data() + used_, 16);
  used_ += bytes.size();
  return session_id_from(bytes);
}

lane_services::lane_services(lane_thread& lane, resolver_pool& resolver, tls_contexts& tls,
                             std::unique_ptr<fleet_port> port, const http_settings& configured,
                             logger& sink, event_source& happened, body_budget& held)
    : where(lane.io.get_executor()),
      settings(configured),
      names(resolver),
      log(sink),
      events(happened),
      bodies(held),
      wheel(lane.wheel),
      meter(lane.meter),
      pool(where, wheel, tls, meter, configured),
      fleet(std::move(port)) {}

lane_services::~lane_services() = default;

void lane_services::fit_pool() {
  pool.fit(std::max(client_count.load(), pool_share));
}

bool lane_services::make_room() {
  bound.check();
  // Who has only just connected, or reads an answer and asks on, is not idle yet.
  static constexpr std::chrono::seconds moment{1};
  return std::any_of(clients.begin(), clients.end(),
                     [](lane_client& client) { return client.stop_if_idle(moment); });
}

}  // namespace fleet::http
