// SPDX-License-Identifier: MIT
// Actors on lanes: a CAF scheduler whose workers are threads that somebody else runs. A lane serves
// sockets and resumes actors on one thread, so that a question from a connection, the actors that
// answer it and the answer need neither a lock nor another thread.
#pragma once

#include <caf/fwd.hpp>

#include <cstddef>
#include <functional>

namespace fleet {

/// The threads behind the lanes, numbered 0..lanes()-1. Owned by the caller and outliving the actor
/// system, which starts it in its constructor and stops it in its destructor.
class lane_driver {
 public:
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  lane_driver() = default;
  lane_driver(const lane_driver&) = delete;
  lane_driver& operator=(const lane_driver&) = delete;
  virtual ~lane_driver() = default;

  /// How many there are; at least 1, the same at every call.
  [[nodiscard]] virtual std::size_t lanes() const = 0;

  /// Starts the threads; called once.
  virtual void start() = 0;

  /// Runs what was posted so far, ends the threads and joins them; called once, from a thread that
  /// is no lane. Nothing is posted afterwards.
  virtual void stop() = 0;

  /// Runs `work` on that lane's thread, after what was posted to it before, never inside this call.
  /// From any thread. `work` does not throw.
  virtual void post(std::size_t lane, std::function<void()> work) = 0;

  /// The lane whose thread is calling, npos on any other thread. Asked each time an actor wakes up,
  /// so it has to be cheap.
  [[nodiscard]] virtual std::size_t current() const = 0;
};

/// Makes an actor system built from `config` run its actors on the lanes of `driver`.
void use_lanes(caf::actor_system_config& config, lane_driver& driver);

/// Where code running on lane `lane` spawns and sends, so that the actors it wakes run on that
/// lane: the `host` of a caf::actor_config and the second argument of enqueue. To be used on that
/// lane's thread; valid as long as the system, so keep it. A system that does not run on lanes (a
/// test scheduler) gives its own default unit.
[[nodiscard]] caf::execution_unit* lane_unit(caf::actor_system& system, std::size_t lane);

}  // namespace fleet
