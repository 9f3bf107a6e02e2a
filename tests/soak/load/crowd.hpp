// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/raw_client.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fleet::soak {

// What a client does again and again.
//   plain     turns over a kept connection
//   streamed  streamed turns over a kept connection
//   aborted   streamed turns that it leaves in the middle, with a reset or a FIN
//   churned   one turn for each connection
//   upload    bodies of up to a megabyte, by length or in chunks
//   admin     what operators and their tools read
enum class habit { plain, streamed, aborted, churned, upload, admin };

inline constexpr std::array<std::string_view, 6> habit_names{"plain",   "streamed", "aborted",
                                                             "churned", "upload",   "admin"};

// A fault that the tool makes itself, to show that its rules catch it. Never in the product.
//   connections  a client opens one connection after the other and keeps them
//   body         a client sends a body that does not end, which the router has to keep
enum class plant { none, connections, body };

// Clients of every habit, each on a thread of its own, from construction until the end. Any thread.
class crowd {
 public:
  // Sessions that they use in all; the router keeps fewer.
  static constexpr std::size_t sessions = 2000;

  // `each`: clients of one habit.
  crowd(std::uint16_t port, std::size_t each, plant planted);
  ~crowd();

  // Lets all clients leave.
  void end();
  // Ended requests of a habit.
  std::uint64_t done(habit what) const { return done_[static_cast<std::size_t>(what)]; }
  std::uint64_t done() const;
  // Answers that should not have been, by what they were.
  std::map<std::string, std::uint64_t> odd() const;

 private:
  class client;

  void run(habit what, unsigned seed);
  void run_plant(plant what);
  void judge(habit what, const rig::message& answer);

  std::uint16_t port_;
  std::array<std::atomic<std::uint64_t>, habit_names.size()> done_{};
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> odd_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fleet::soak
