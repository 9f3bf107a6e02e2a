// SPDX-License-Identifier: MIT
// How routing grows, measured in this process: time of one turn's lookup and choice with 2 to 1,000
// replicas, and memory and time of the session table with 100,000 pins. Prints one line of
// key=value for each; the heap is counted by the allocator.
#include "fleet/core/load_table.hpp"
#include "fleet/core/pin_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <malloc.h>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace fleet;

/// Of this thread, so that a busy machine does not count.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

constexpr std::size_t pins = 100'000;
constexpr std::size_t turns = 300'000;
constexpr std::size_t in_flight = 64;

std::string session(std::size_t number) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%032zx", number * 2654435761U);
  return text.data();
}

struct figures {
  double bytes_per_pin = 0;
  double choice_ns = 0;  ///< lookup and choice
  double turn_ns = 0;    ///< these, the counts up, and the counts down of a turn that ends
};

/// One turn: lookup, choice, both counts up; the oldest of those in flight ends.
figures measure(std::size_t replicas) {
  load_table loads;
  for (std::uint64_t i = 1; i <= replicas; ++i) {
    loads.add(instance_id{i});
    loads.set_routable(instance_id{i}, true);
  }
  const auto before = mallinfo2().uordblks;
  pin_table table(pins, std::chrono::hours(1));
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < pins; ++i) {
    table.pin(session(i), instance_id{i % replicas + 1}, now);
    table.unpin(session(i), instance_id{i % replicas + 1}, true, now);
  }
  figures f;
  // The id itself, as a string of its own, is not counted.
  constexpr std::size_t id_bytes = sizeof(std::string) + 48;
  f.bytes_per_pin = static_cast<double>(mallinfo2().uordblks - before) / pins - id_bytes;

  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, pins - 1);
  std::vector<route_query> queries;
  for (std::size_t i = 0; i < 4096; ++i) {
    queries.push_back({.session = session(any(random))});
  }
  std::vector<std::pair<std::size_t, instance_id>> running;
  running.reserve(in_flight);
  const auto begun = processor_time();
  for (std::size_t i = 0; i < turns; ++i) {
    const auto& query = queries[i % queries.size()];
    const auto where = choose(loads, query, table.look_up(query.session, now), 4);
    loads.raise(where->replica);
    table.pin(query.session, where->replica, now);
    const auto slot = i % in_flight;
    if (running.size() < in_flight) {
      running.emplace_back(i % queries.size(), where->replica);
      continue;
    }
    auto& [ended, there] = running[slot];
    loads.lower(there);
    table.unpin(queries[ended].session, there, true, now);
    running[slot] = {i % queries.size(), where->replica};
  }
  const std::chrono::duration<double, std::nano> taken = processor_time() - begun;
  f.turn_ns = taken.count() / turns;
  const auto again = processor_time();
  std::size_t hits = 0;
  for (std::size_t i = 0; i < turns; ++i) {
    const auto& query = queries[i % queries.size()];
    const auto where = choose(loads, query, table.look_up(query.session, now), 4);
    hits += where->how == affinity::hit ? 1 : 0;
  }
  const std::chrono::duration<double, std::nano> choosing = processor_time() - again;
  f.choice_ns = hits == 0 ? 0 : choosing.count() / turns;
  return f;
}

}  // namespace

int main() {
  for (const std::size_t replicas : {2U, 64U, 1000U}) {
    std::vector<double> choices;
    std::vector<double> whole;
    figures f;
    for (int round = 0; round < 5; ++round) {
      f = measure(replicas);
      choices.push_back(f.choice_ns);
      whole.push_back(f.turn_ns);
    }
    std::sort(choices.begin(), choices.end());
    std::sort(whole.begin(), whole.end());
    std::cout << "replicas=" << replicas << " pins=" << pins << " choice_ns=" << choices[2]
              << " turn_ns=" << whole[2] << " bytes_per_pin=" << f.bytes_per_pin << "\n";
  }
}
