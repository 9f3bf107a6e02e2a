// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fleet::sim {

using namespace std::chrono_literals;

using duration = std::chrono::nanoseconds;

/// Time since the simulated world began; it goes on while the router is down.
using moment = std::chrono::nanoseconds;

/// The one source of chance of a run: the same numbers for the same seed on every machine.
class chance {
 public:
  explicit chance(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x632be59bd9b4e019U) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    auto x = state_;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }

  /// 0..n-1; n is at least 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  /// from..to, both included.
  std::size_t between(std::size_t from, std::size_t to) { return from + below(to - from + 1); }

  duration between(duration from, duration to) {
    const auto span = static_cast<std::uint64_t>((to - from).count()) + 1;
    return from + duration(static_cast<duration::rep>(next() % span));
  }

  bool percent(std::size_t p) { return below(100) < p; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace fleet::sim
