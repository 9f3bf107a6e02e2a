// SPDX-License-Identifier: MIT
#include "sim/world/doors.hpp"

#include <caf/response_promise.hpp>
#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <unordered_map>
#include <utility>

namespace fleet::sim {

namespace {

template <class Promise>
struct questions {
  std::unordered_map<question, Promise> open;

  Promise ask(question q, Promise promise) {
    return open.emplace(q, std::move(promise)).first->second;
  }

  template <class Answer>
  void answer(question q, Answer value) {
    auto node = open.extract(q);
    if (!node.empty())
      node.mapped().deliver(std::move(value));
  }
};

struct prober_door_state {
  static constexpr const char* name = "prober_door";
  question last = 0;
  questions<caf::typed_response_promise<probe_result>> probes;
};

prober_door::behavior_type prober(prober_door::stateful_pointer<prober_door_state> self,
                                  const way_out& out) {
  return {
      [=](probe_atom, const endpoint& where, caf::timespan limit) {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->probe(q, where, limit);
        return self->state.probes.ask(q, self->make_response_promise<probe_result>());
      },
      [=](probe_atom, question q, probe_result& result) {
        self->state.probes.answer(q, std::move(result));
      },
  };
}

struct commander_door_state {
  static constexpr const char* name = "commander_door";
  question last = 0;
  questions<caf::typed_response_promise<launch_result>> launches;
  questions<caf::typed_response_promise<stop_result>> stops;
  questions<caf::typed_response_promise<inspection>> looks;
  exit_listener_actor listener;
};

commander_door::behavior_type commander(commander_door::stateful_pointer<commander_door_state> self,
                                        const way_out& out) {
  return {
      [=](launch_atom, const launch_order& order) {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->launch(q, order);
        return self->state.launches.ask(q, self->make_response_promise<launch_result>());
      },
      [=](stop_atom, const stop_order& order) {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->stop(q, order);
        return self->state.stops.ask(q, self->make_response_promise<stop_result>());
      },
      [=](inspect_atom, const inspect_order& order) {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->inspect(q, order);
        return self->state.looks.ask(q, self->make_response_promise<inspection>());
      },
      [](log_atom, const log_order&) { return log_answer{.outcome = log_outcome::read}; },
      [=](listen_atom, exit_listener_actor& who) { self->state.listener = who; },
      [=](launch_atom, question q, launch_result& r) {
        self->state.launches.answer(q, std::move(r));
      },
      [=](stop_atom, question q, stop_result& r) { self->state.stops.answer(q, std::move(r)); },
      [=](inspect_atom, question q, inspection& r) { self->state.looks.answer(q, std::move(r)); },
      [=](exited_atom, process_exit& end) {
        if (self->state.listener)
          self->send(self->state.listener, exited_atom_v, std::move(end));
      },
  };
}

struct journal_door_state {
  static constexpr const char* name = "journal_door";
  question last = 0;
  std::unordered_map<question, caf::response_promise> open;
};

journal_door::behavior_type journal(journal_door::stateful_pointer<journal_door_state> self,
                                    const way_out& out) {
  const auto promise = [=](question q) {
    self->state.open.emplace(q, self->make_response_promise());
    return caf::delegated<void>{};
  };
  return {
      [=](record_atom, const slot_record& what) -> caf::result<void> {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->record(q, what);
        return promise(q);
      },
      [=](erase_atom, const std::string& slot) -> caf::result<void> {
        const auto q = ++self->state.last;
        if (*out != nullptr)
          (*out)->erase(q, slot);
        return promise(q);
      },
      [=](record_atom, question q, const std::string& why_not) {
        auto node = self->state.open.extract(q);
        if (node.empty())
          return;
        if (why_not.empty())
          node.mapped().deliver(caf::unit);
        else
          node.mapped().deliver(caf::make_error(caf::sec::runtime_error, why_not));
      },
  };
}

}  // namespace

prober_door spawn_prober_door(caf::actor_system& system, way_out out) {
  return system.spawn(prober, std::move(out));
}

commander_door spawn_commander_door(caf::actor_system& system, way_out out) {
  return system.spawn(commander, std::move(out));
}

journal_door spawn_journal_door(caf::actor_system& system, way_out out) {
  return system.spawn(journal, std::move(out));
}

}  // namespace fleet::sim
