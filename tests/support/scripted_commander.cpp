// SPDX-License-Identifier: MIT
#include "support/scripted_commander.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <utility>

namespace fleet {

std::size_t command_script::count(std::string_view what, std::string_view slot) const {
  return static_cast<std::size_t>(std::count_if(
      commands.begin(), commands.end(),
      [=](const seen& x) { return x.what == what && (slot.empty() || x.slot == slot); }));
}

command_script::seen command_script::last(std::string_view what) const {
  const auto found = std::find_if(commands.rbegin(), commands.rend(),
                                  [=](const seen& x) { return x.what == what; });
  return found == commands.rend() ? seen{} : *found;
}

scripted_commander_actor::behavior_type scripted_commander(
    scripted_commander_actor::stateful_pointer<scripted_commander_state> self,
    std::shared_ptr<command_script> script, std::shared_ptr<probe_script> network) {
  const auto note = [=](const char* what, const slot_spec& slot, const std::string& instance) {
    script->commands.push_back({what, slot.name, instance, self->clock().now()});
  };
  const auto later = [=](std::chrono::nanoseconds delay, std::function<void()> answer) {
    auto& st = self->state;
    st.waiting[++st.last] = std::move(answer);
    self->delayed_send(self, delay, tick_atom_v, st.last);
  };
  return {
      [=](launch_atom, const launch_order& order) {
        note("launch", order.slot, order.instance);
        const auto step = script->launches[order.slot.name];
        auto promise = self->make_response_promise<launch_result>();
        later(step.after, [=]() mutable {
          promise.deliver(launch_result{step.started,
                                        {.instance = order.instance, .process_group = 7},
                                        step.reason,
                                        step.may_be_running});
        });
        return promise;
      },
      [=](stop_atom, const stop_order& order) {
        note("stop", order.slot, order.process.instance);
        const auto step = script->stops[order.slot.name];
        auto promise = self->make_response_promise<stop_result>();
        later(step.after, [=]() mutable {
          if (step.stopped && step.goes_silent)
            network->set(order.slot.port, probe_verdict::silent);
          promise.deliver(stop_result{step.stopped, step.reason});
        });
        return promise;
      },
      [=](inspect_atom, const inspect_order& order) {
        note("inspect", order.slot, order.process.instance);
        const auto found = script->inspections.find(order.slot.name);
        auto promise = self->make_response_promise<inspection>();
        if (script->looks_answered)
          promise.deliver(found == script->inspections.end()
                              ? inspection{.known = true, .alive = true}
                              : found->second);
        return promise;
      },
      [=](log_atom, const log_order& order) {
        note("log", order.slot, std::to_string(order.begin));
        return log_answer{log_outcome::read, script->logs[order.slot.name], order.bytes, {}};
      },
      [=](listen_atom, exit_listener_actor& who) { script->listener = who; },
      [=](tick_atom, std::uint64_t command) { self->state.waiting.extract(command).mapped()(); },
  };
}

}  // namespace fleet
