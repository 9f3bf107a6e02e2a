// SPDX-License-Identifier: MIT
#include "support/simulation.hpp"

#include <algorithm>

namespace fleet {

simulation::config::config() {
  set("scheduler.policy", caf::atom("testing"));
  load<caf::id_block::fleet>();
}

simulation::simulation() {
  run();
}

simulation::~simulation() {
  for (auto& x : std::exchange(tracked_, {}))
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  run();
  clock_.cancel_all();
  run();
}

void simulation::play(std::chrono::nanoseconds time) {
  run();
  const auto end = now() + time;
  while (clock_.has_pending_timeout() && clock_.schedule().begin()->first <= end) {
    const auto wait = clock_.schedule().begin()->first - now();
    clock_.advance_time(std::max(wait, std::chrono::nanoseconds(0)));
    run();
  }
  clock_.advance_time(end - now());
  run();
}

std::vector<caf::strong_actor_ptr> simulation::busy(std::string_view name) {
  std::vector<caf::strong_actor_ptr> found;
  for (auto* job : scheduler_.jobs) {
    auto* actor = dynamic_cast<caf::local_actor*>(job);
    if (actor != nullptr && name == actor->name())
      found.emplace_back(actor->ctrl());
  }
  return found;
}

}  // namespace fleet
