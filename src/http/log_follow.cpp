// SPDX-License-Identifier: MIT
#include "log_follow.hpp"

#include "admin_reads.hpp"
#include "open_body.hpp"

#include <utility>

namespace fleet::http {

namespace {

/// How often a followed log is looked at: over ssh each look is a command on its machine.
constexpr std::chrono::seconds follow_pause{1};

}  // namespace

awaitable<void> follow_log(client_connection& client, lane_services& lane, own_reply first) {
  open_body body(client, lane, lane.settings.client_timeout);
  auto end = first.log_end.value_or(0);
  bool whole = co_await body.begin("text/plain; charset=utf-8", std::move(first.text));
  while (whole && !lane.stopping) {
    if (!co_await body.pause(follow_pause)) {
      co_return;
    }
    log_query wanted{.slot = first.follow, .begin = end, .bytes = most_log_bytes};
    auto log = co_await lane.fleet->read_log(std::move(wanted));
    if (log.outcome == log_outcome::shutting_down) {
      break;
    }
    whole = log.outcome == log_outcome::read;
    if (whole) {
      end = log.end;
      whole = co_await body.send(std::move(log.text));
    }
  }
  if (whole) {
    co_await body.end();
  } else {
    body.cut();
  }
}

}  // namespace fleet::http
