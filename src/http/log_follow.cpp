// SPDX-License-Identifier: MIT
#include "log_follow.hpp"

#include "admin_reads.hpp"

#include <utility>

namespace fleet::http {

namespace {

/// How often a followed log is looked at: over ssh each look is a command on its machine.
constexpr std::chrono::seconds follow_pause{1};

}  // namespace

log_follow::log_follow(client_connection& client, lane_services& lane)
    : client_(client),
      lane_(lane),
      framing_(client.request().head.http10 ? body_framing::close : body_framing::chunked),
      limit_(lane.wheel),
      pause_(lane.where) {
  client_.watch([this] {
    gone_ = true;
    pause_.cancel();
    client_.close();
  });
}

log_follow::~log_follow() {
  client_.watch(nullptr);
}

awaitable<void> log_follow::run(const own_reply& first) {
  auto end = first.log_end.value_or(0);
  bool whole = co_await send(open_answer(framing_, client_.request().request_id) +
                             framed(framing_, first.text));
  while (whole && !lane_.stopping) {
    pause_.expires_after(follow_pause);
    co_await pause_.async_wait(use_tuple);
    if (gone_) {
      co_return;
    }
    log_query wanted{.slot = first.follow, .begin = end, .bytes = most_log_bytes};
    const auto log = co_await lane_.fleet->read_log(std::move(wanted));
    if (log.outcome == log_outcome::shutting_down) {
      break;
    }
    whole = log.outcome == log_outcome::read;
    if (whole) {
      end = log.end;
      whole = co_await send(framed(framing_, log.text));
    }
  }
  if (whole && framing_ == body_framing::chunked) {
    co_await send(std::string(last_chunk));
  } else if (!whole) {
    client_.reset();
  }
}

awaitable<bool> log_follow::send(std::string bytes) {
  if (gone_ || bytes.empty()) {
    co_return !gone_;
  }
  limit_.arm(lane_.settings.client_timeout, [this] { client_.close(); });
  const auto ec = co_await client_.write(asio::buffer(bytes));
  limit_.disarm();
  co_return !ec && !gone_;
}

}  // namespace fleet::http
