// SPDX-License-Identifier: MIT
#pragma once

#include "admin.hpp"
#include "lane.hpp"

#include "fleet/http/observers.hpp"

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <vector>

namespace fleet::http {

/// What a scrape looks at: all lanes of the router, whichever of them answers it. Does not change
/// once they serve.
struct scraped_router {
  std::vector<lane_services*> lanes;
  server_observers observers;
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  /// Where the text is made: with hundreds of replicas that takes longer than a stream may pause.
  mutable asio::thread_pool writer{1};
};

/// GET /metrics, on its lane; asks the other lanes for what only they may look at. Needs the admin
/// token where one is set, unless the settings say that metrics are open.
awaitable<own_reply> answer_metrics(lane_services& lane, const request_head& head);

}  // namespace fleet::http
