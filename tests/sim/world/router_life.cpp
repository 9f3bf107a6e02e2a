// SPDX-License-Identifier: MIT
#include "sim/world/router_life.hpp"

#include "sim/world/doors.hpp"

#include "fleet/actors/system.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace fleet::sim {

namespace {

// The actor clock as the world begins.
constexpr moment clock_start = 1h;

struct simulated_config : caf::actor_system_config {
  simulated_config() {
    set("scheduler.policy", caf::atom("testing"));
    load<caf::id_block::fleet>();
  }
};

}  // namespace

struct router_life::inside {
  explicit inside(setup& with)
      : luck(with.luck),
        events(with.events),
        now(with.now),
        out(std::make_shared<outside*>(&with.world)),
        scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {}

  void step();

  template <class T, class Handle, class... Ts>
  void ask(const Handle& whom, then<T> with, Ts... what);

  chance& luck;
  trace& events;
  moment now;
  std::uint64_t messages = 0;
  std::uint64_t crash_in = 0;  // 0: never
  way_out out;
  simulated_config config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler;
  prober_door prober;
  commander_door commander;
  journal_door journal;
  running_fleet fleet;
};

router_life::router_life(setup with) : inside_(std::make_unique<inside>(with)) {
  auto& in = *inside_;
  in.scheduler.clock().current_time = caf::actor_clock::time_point(clock_start + in.now);
  in.scheduler.run();
  in.prober = spawn_prober_door(in.system, in.out);
  in.commander = spawn_commander_door(in.system, in.out);
  const auto& made_of = with.made_of;
  if (made_of.journal)
    in.journal = spawn_journal_door(in.system, in.out);
  in.fleet = start_fleet(in.system,
                         {.routing = made_of.routing,
                          .launch = made_of.launch,
                          .statics = made_of.statics,
                          .hosts = made_of.hosts,
                          .slots = made_of.slots,
                          .prober = in.prober,
                          .commander = in.commander,
                          .journal = in.journal,
                          .recorded = std::move(with.recorded),
                          .started_at = calendar(in.now),
                          .mint_instance = std::move(with.mint_instance)},
                         with.log);
}

router_life::~router_life() {
  auto& in = *inside_;
  *in.out = nullptr;
  stop_fleet(in.fleet);
  in.prober = nullptr;
  in.commander = nullptr;
  in.journal = nullptr;
  in.scheduler.run();
  in.scheduler.clock().cancel_all();
  in.scheduler.run();
}

// -- work and time ----------------------------------------------------------

bool router_life::settle() {
  auto& in = *inside_;
  while (!in.scheduler.jobs.empty()) {
    if (in.crash_in > 0 && --in.crash_in == 0)
      return false;
    in.step();
  }
  return true;
}

// Two messages of one actor to another keep their order; that is all CAF promises.
void router_life::inside::step() {
  auto& jobs = scheduler.jobs;
  if (jobs.size() > 1 && luck.percent(30))
    std::swap(jobs.front(), jobs[luck.below(jobs.size())]);
  auto* actor = dynamic_cast<caf::scheduled_actor*>(jobs.front());
  events.message(now, actor->name(), [actor] {
    auto* next = actor->mailbox().peek();
    return next == nullptr ? std::string("starts") : to_string(next->content());
  });
  ++messages;
  scheduler.try_run_once();
}

void router_life::crash_in(std::uint64_t messages) {
  auto& due = inside_->crash_in;
  due = due == 0 ? messages : std::min(due, messages);
}

void router_life::crash_never() {
  inside_->crash_in = 0;
}

std::uint64_t router_life::messages() const {
  return inside_->messages;
}

std::optional<moment> router_life::next_timer() const {
  const auto& schedule = inside_->scheduler.clock().schedule();
  if (schedule.empty())
    return std::nullopt;
  return std::max(inside_->now, moment(schedule.begin()->first.time_since_epoch()) - clock_start);
}

void router_life::advance(moment to) {
  inside_->scheduler.clock().advance_time(to - inside_->now);
  inside_->now = to;
}

// -- what the world answers -------------------------------------------------

void router_life::answer(question q, const probe_result& result) {
  caf::anon_send(inside_->prober, probe_atom_v, q, result);
}

void router_life::answer(question q, const launch_result& result) {
  caf::anon_send(inside_->commander, launch_atom_v, q, result);
}

void router_life::answer(question q, const stop_result& result) {
  caf::anon_send(inside_->commander, stop_atom_v, q, result);
}

void router_life::answer(question q, const inspection& result) {
  caf::anon_send(inside_->commander, inspect_atom_v, q, result);
}

void router_life::tell(const process_exit& end) {
  caf::anon_send(inside_->commander, exited_atom_v, end);
}

void router_life::written(question q, const std::string& why_not) {
  caf::anon_send(inside_->journal, record_atom_v, q, why_not);
}

// -- what the world asks ----------------------------------------------------

template <class T, class Handle, class... Ts>
void router_life::inside::ask(const Handle& whom, then<T> with, Ts... what) {
  system.spawn<caf::hidden>([=, door = out](caf::event_based_actor* self) {
    auto pending = self->request(whom, caf::infinite, what...);
    const auto hear = [door, with](const T* answer) {
      if (*door != nullptr)
        with(answer);
    };
    const auto fail = [hear](const caf::error&) { hear(nullptr); };
    if constexpr (std::is_same_v<T, bool>) {
      pending.then(
          [hear] {
            const bool done = true;
            hear(&done);
          },
          fail);
    } else {
      pending.then([hear](const T& x) { hear(&x); }, fail);
    }
  });
}

void router_life::route(const route_query& query, then<route_answer> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), route_atom_v, query);
}

void router_life::describe(instance_id id, then<replica_spec> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), describe_atom_v, id);
}

void router_life::kill_prober() {
  caf::anon_send_exit(inside_->fleet.prober, caf::exit_reason::kill);
}

void router_life::finished(const turn_end& end) {
  caf::anon_send(inside_->fleet.fronts.front(), finished_atom_v, end);
}

void router_life::grow(const std::string& slot, then<grow_answer> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), grow_atom_v, slot);
}

void router_life::shrink(const std::string& slot, then<shrink_answer> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), shrink_atom_v, slot);
}

void router_life::release(const std::string& slot, then<release_answer> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), release_atom_v, slot);
}

void router_life::view(then<pool_view> with) {
  inside_->ask(inside_->fleet.fronts.front(), std::move(with), fleet_atom_v);
}

void router_life::shut_down(bool hurried, then<bool> with) {
  if (hurried)
    inside_->ask(inside_->fleet.supervisor, std::move(with), shutdown_atom_v, hurry_atom_v);
  else
    inside_->ask(inside_->fleet.supervisor, std::move(with), shutdown_atom_v);
}

}  // namespace fleet::sim
