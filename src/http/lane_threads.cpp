// SPDX-License-Identifier: MIT
#include "fleet/http/lane_threads.hpp"

#include "lane_thread.hpp"
#include "resolver_pool.hpp"
#include "tls_contexts.hpp"

#include <boost/asio/post.hpp>

namespace fleet::http {

lane_threads::lane_threads(std::size_t count)
    : names_(std::make_unique<resolver_pool>()), tls_(std::make_unique<tls_contexts>()) {
  for (std::size_t i = 0; i < count; ++i) {
    threads_.push_back(std::make_unique<lane_thread>());
  }
}

lane_threads::~lane_threads() {
  // It posts to the lanes, so it goes first.
  names_.reset();
}

void lane_threads::start() {
  for (auto& lane : threads_) {
    lane->thread = std::thread([&io = lane->io] { io.run(); });
  }
}

void lane_threads::stop() {
  for (auto& lane : threads_) {
    asio::post(lane->io, [&io = lane->io] { io.stop(); });
  }
  for (auto& lane : threads_) {
    if (lane->thread.joinable()) {
      lane->thread.join();
    }
  }
}

void lane_threads::post(std::size_t lane, std::function<void()> work) {
  asio::post(threads_[lane]->io, std::move(work));
}

std::size_t lane_threads::current() const {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i]->io.get_executor().running_in_this_thread()) {
      return i;
    }
  }
  return npos;
}

}  // namespace fleet::http
