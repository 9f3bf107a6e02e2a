// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/actors/lane_scheduler.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace fleet::http {

struct lane_thread;
class resolver_pool;
class tls_contexts;

/// The lanes: each one io_context run by one thread, for sockets and actors alike. Must outlive the
/// actor system, which starts and stops it, and everything that has sockets on it.
class lane_threads final : public lane_driver {
 public:
  /// `count` >= 1.
  explicit lane_threads(std::size_t count);
  ~lane_threads() override;

  [[nodiscard]] std::size_t lanes() const override { return threads_.size(); }
  void start() override;
  void stop() override;
  void post(std::size_t lane, std::function<void()> work) override;
  [[nodiscard]] std::size_t current() const override;

  /// For this room only.
  [[nodiscard]] lane_thread& at(std::size_t lane) { return *threads_[lane]; }
  [[nodiscard]] resolver_pool& names() { return *names_; }
  [[nodiscard]] tls_contexts& tls() { return *tls_; }

 private:
  std::vector<std::unique_ptr<lane_thread>> threads_;
  std::unique_ptr<resolver_pool> names_;
  std::unique_ptr<tls_contexts> tls_;
};

}  // namespace fleet::http
