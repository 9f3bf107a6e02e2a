// SPDX-License-Identifier: MIT
#include "fleet/actors/lane_scheduler.hpp"

#include "support/thread_lanes.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct lanes_config : caf::actor_system_config {
  explicit lanes_config(fleet::lane_driver& driver) { fleet::use_lanes(*this, driver); }
};

// One for each actor alive, so that a leaked one shows.
struct census {
  std::atomic<int> alive = 0;
  std::atomic<std::uint64_t> messages = 0;
};

class citizen {
 public:
  explicit citizen(census& c) : census_(&c) { ++census_->alive; }
  citizen(const citizen& other) : census_(other.census_) { ++census_->alive; }
  citizen& operator=(const citizen&) = delete;
  ~citizen() { --census_->alive; }
  void count() const { ++census_->messages; }

 private:
  census* census_;
};

using bouncer = caf::typed_actor<caf::replies_to<std::uint64_t>::with<std::uint64_t>>;

bouncer::behavior_type bounce(bouncer::pointer, const citizen& papers) {
  return {[papers](std::uint64_t n) {
    papers.count();
    return n + 1;
  }};
}

// Asks `peer` until `left` answers are in, then reports to `done` and ends.
void ask_on(caf::event_based_actor* self, const bouncer& peer, std::uint64_t left,
            std::atomic<int>& done) {
  if (left == 0) {
    ++done;
    self->quit();
    return;
  }
  self->request(peer, caf::infinite, left)
      .then([=, &done](std::uint64_t) { ask_on(self, peer, left - 1, done); },
            [=](const caf::error&) { self->quit(); });
}

template <class Condition>
bool holds_within(std::chrono::milliseconds limit, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

}  // namespace

TEST_CASE("thousands of messages across lanes all arrive and leave no actor behind") {
  census people;
  std::atomic<int> done = 0;
  {
    fleet::thread_lanes driver(3);
    lanes_config config(driver);
    caf::actor_system system(config);
    std::vector<bouncer> peers;
    for (int i = 0; i < 8; ++i)
      peers.push_back(system.spawn(bounce, citizen(people)));
    for (int i = 0; i < 32; ++i) {
      const auto peer = peers[static_cast<std::size_t>(i) % peers.size()];
      system.spawn([=, &done](caf::event_based_actor* self) { ask_on(self, peer, 500, done); });
    }
    CHECK(holds_within(20s, [&] { return done == 32; }));
    for (auto& x : peers)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  }
  CHECK(people.messages == 32 * 500);
  CHECK(people.alive == 0);
}

TEST_CASE("question, answer and the actors between run on the lane that asked") {
  fleet::thread_lanes driver(3);
  lanes_config config(driver);
  caf::actor_system system(config);
  std::atomic<std::uint64_t> elsewhere = 0;
  std::atomic<bool> finished = false;
  const auto note = [&] {
    if (driver.current() != 1)
      ++elsewhere;
  };
  auto answer = [=](caf::event_based_actor*) -> caf::behavior {
    return {[=](int n) {
      note();
      return n + 1;
    }};
  };
  driver.post(1, [&] {
    caf::actor_config host(fleet::lane_unit(system, 1));
    auto peer = system.spawn_functor<caf::hidden>(std::true_type{}, host, answer);
    auto ask = [=, &finished](caf::event_based_actor* self) {
      note();
      self->request(peer, caf::infinite, 1)
          .then(
              [note, &finished](int) {
                note();
                finished = true;
              },
              [&finished](const caf::error&) { finished = true; });
    };
    caf::actor_config own_host(fleet::lane_unit(system, 1));
    system.spawn_functor<caf::hidden>(std::true_type{}, own_host, ask);
  });
  CHECK(holds_within(10s, [&] { return finished.load(); }));
  CHECK(elsewhere == 0);
}

TEST_CASE("a delayed message comes when it is due, not before") {
  fleet::thread_lanes driver(2);
  lanes_config config(driver);
  caf::actor_system system(config);
  std::atomic<bool> rang = false;
  const auto start = std::chrono::steady_clock::now();
  system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    self->delayed_send(self, 30ms, 1);
    return {[&rang, self](int) {
      rang = true;
      self->quit();
    }};
  });
  CHECK(holds_within(10s, [&] { return rang.load(); }));
  CHECK(std::chrono::steady_clock::now() - start >= 30ms);
}

TEST_CASE("a system with actors held by distant timers stops at once when they are told to exit") {
  census people;
  const auto start = std::chrono::steady_clock::now();
  {
    fleet::thread_lanes driver(2);
    lanes_config config(driver);
    caf::actor_system system(config);
    for (int i = 0; i < 200; ++i) {
      auto sleeper = system.spawn(
          [](caf::event_based_actor* self, const citizen& papers) -> caf::behavior {
            self->delayed_send(self, 1h, 1);
            return {[papers](int) { papers.count(); }};
          },
          citizen(people));
      caf::anon_send_exit(sleeper, caf::exit_reason::user_shutdown);
    }
  }
  CHECK(people.alive == 0);
  CHECK(std::chrono::steady_clock::now() - start < 5s);
}

TEST_CASE("an actor that ends lets go of the timeouts it has set at once") {
  census people;
  fleet::thread_lanes driver(2);
  lanes_config config(driver);
  caf::actor_system system(config);
  auto mute = system.spawn([](caf::event_based_actor* self) -> caf::behavior {
    return {[self](int) { return self->make_response_promise(); }};
  });
  for (int i = 0; i < 100; ++i) {
    system.spawn(
        [mute](caf::event_based_actor* self, const citizen& papers) {
          self->request(mute, 60min, 1)
              .then([papers](int) { papers.count(); },
                    [papers](const caf::error&) { papers.count(); });
          self->send(self, caf::exit_msg{self->address(), caf::exit_reason::user_shutdown});
        },
        citizen(people));
  }
  caf::anon_send_exit(mute, caf::exit_reason::user_shutdown);
  mute = nullptr;
  CHECK(holds_within(10s, [&] { return people.alive == 0; }));
}

TEST_CASE("a busy actor does not keep its lane from other work") {
  fleet::thread_lanes driver(1);
  lanes_config config(driver);
  caf::actor_system system(config);
  std::atomic<bool> posted = false;
  std::atomic<std::uint64_t> rounds = 0;
  auto busy = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    self->send(self, 1);
    return {[&rounds, self](int n) {
      ++rounds;
      self->send(self, n);
    }};
  });
  CHECK(holds_within(10s, [&] { return rounds > 1000; }));
  driver.post(0, [&] { posted = true; });
  CHECK(holds_within(10s, [&] { return posted.load(); }));
  caf::anon_send_exit(busy, caf::exit_reason::user_shutdown);
}

TEST_CASE("a system that never ran an actor starts and stops at once") {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    fleet::thread_lanes driver(2);
    lanes_config config(driver);
    const caf::actor_system system(config);
  }
  CHECK(std::chrono::steady_clock::now() - start < 5s);
}
