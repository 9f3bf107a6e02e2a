// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/all.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

namespace fleet::rig {

// What a router holds on to; taken when it is at rest.
struct holdings {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::size_t resident_kib = 0;
};

holdings held_by(router_process& r);

// Waits until the router holds what it held before: no turn outstanding, no descriptor more (those
// of pooled connections go after 4 s), no thread more, and no more than `kib` more memory.
bool back_to(router_process& r, const holdings& before, std::size_t kib = 2UL << 10);

// A client in the midst of a stream while others misbehave. The replica has to answer the body
// "witness" with `stream`.
class witness {
 public:
  // Events without end, numbered, 20 ms apart.
  static void stream(replica_turn& turn);

  explicit witness(std::uint16_t port);
  ~witness();
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;

  // Empty when the stream still goes on, has every event in its place, and never stood still for
  // longer than `gap`; else what was noticed. Ends the stream.
  std::string complaint(milliseconds gap = 3s);

 private:
  void note(std::string_view bytes);
  void stop();

  raw_client client_;
  message answer_;
  clock::time_point last_ = clock::now();
  milliseconds longest_{0};
  std::atomic<int> events_ = 0;
  std::string unread_;
  bool in_order_ = true;
  std::atomic<bool> stopping_ = false;
  std::thread reader_;
};

}  // namespace fleet::rig
