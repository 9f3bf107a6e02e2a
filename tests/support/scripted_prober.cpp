// SPDX-License-Identifier: MIT
#include "support/scripted_prober.hpp"

#include <caf/actor_clock.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

std::size_t probe_script::count(std::uint16_t port) const {
  return static_cast<std::size_t>(
      std::count_if(probes.begin(), probes.end(), [=](const seen& x) { return x.port == port; }));
}

probe_step probe_script::next(std::uint16_t port) {
  auto& left = steps[port];
  if (left.empty())
    return {};
  const auto step = left.front();
  if (left.size() > 1)
    left.erase(left.begin());
  return step;
}

scripted_prober_actor::behavior_type scripted_prober(
    scripted_prober_actor::stateful_pointer<scripted_prober_state> self,
    std::shared_ptr<probe_script> script) {
  return {
      [=](probe_atom, const endpoint& where, caf::timespan limit) {
        auto& st = self->state;
        script->probes.push_back({where.port, self->clock().now(), limit, self->current_sender()});
        script->most_at_once = std::max(script->most_at_once, ++script->under_way[where.port]);
        const auto step = script->next(where.port);
        const bool late = step.after >= limit;
        auto promise = self->make_response_promise<probe_result>();
        probe_result result{.verdict = late ? probe_verdict::silent : step.verdict};
        result.reason = result.verdict == probe_verdict::good ? "" : to_string(result.verdict);
        result.connected = step.connected;
        st.waiting[++st.last] = {where.port, promise, std::move(result)};
        const auto delay = std::min<std::chrono::nanoseconds>(step.after, limit);
        if (delay > std::chrono::nanoseconds(0))
          self->delayed_send(self, delay, tick_atom_v, st.last);
        else
          self->send(self, tick_atom_v, st.last);
        return promise;
      },
      [=](tick_atom, std::uint64_t probe) {
        auto node = self->state.waiting.extract(probe);
        --script->under_way[node.mapped().port];
        node.mapped().promise.deliver(std::move(node.mapped().result));
      },
  };
}

}  // namespace fleet
