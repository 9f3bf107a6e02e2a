// SPDX-License-Identifier: MIT
#include "open_body.hpp"

#include <utility>

namespace fleet::http {

open_body::open_body(client_connection& client, lane_services& lane,
                     std::chrono::nanoseconds patience)
    : client_(client),
      lane_(lane),
      patience_(patience),
      framing_(client.request().head.http10 ? body_framing::close : body_framing::chunked),
      limit_(lane.wheel),
      pause_(lane.where) {
  client_.watch([this] {
    gone_ = true;
    pause_.cancel();
    client_.close();
  });
}

open_body::~open_body() {
  client_.watch(nullptr);
}

awaitable<bool> open_body::begin(std::string type, std::string first) {
  co_return co_await write(open_answer(framing_, type, client_.request().request_id) +
                           framed(framing_, first));
}

awaitable<bool> open_body::send(std::string piece) {
  co_return co_await write(framed(framing_, piece));
}

awaitable<bool> open_body::pause(std::chrono::nanoseconds time) {
  if (!gone_) {
    pause_.expires_after(time);
    co_await pause_.async_wait(use_tuple);
  }
  co_return !gone_;
}

awaitable<void> open_body::end() {
  if (framing_ == body_framing::chunked) {
    co_await write(std::string(last_chunk));
  }
}

awaitable<bool> open_body::write(std::string bytes) {
  if (gone_ || bytes.empty()) {
    co_return !gone_;
  }
  limit_.arm(patience_, [this] { client_.reset(); });
  const auto ec = co_await client_.write(asio::buffer(bytes));
  limit_.disarm();
  co_return !ec && !gone_;
}

}  // namespace fleet::http
