// SPDX-License-Identifier: MIT
#include "support/simulated_pool.hpp"

#include <utility>

namespace fleet {

simulated_pool::simulated_pool(fleet_shape s) : simulated_fleet(s) {}

asked<grow_answer> simulated_pool::ask_grow(std::string slot) {
  return ask<grow_answer>(fleet.fronts[0], grow_atom_v, std::move(slot));
}

asked<shrink_answer> simulated_pool::ask_shrink(std::string replica) {
  auto answer = ask<shrink_answer>(fleet.fronts[0], shrink_atom_v, std::move(replica));
  run();
  return answer;
}

grow_answer simulated_pool::grow(std::string slot) {
  auto answer = ask_grow(std::move(slot));
  play({});
  return *answer;
}

shrink_answer simulated_pool::shrink(std::string replica) {
  auto answer = ask_shrink(std::move(replica));
  play({});
  return *answer;
}

release_answer simulated_pool::release(std::string slot) {
  auto answer = ask<release_answer>(fleet.fronts[0], release_atom_v, std::move(slot));
  run();
  return *answer;
}

pool_view simulated_pool::pool() {
  auto answer = ask<pool_view>(fleet.fronts[0], fleet_atom_v);
  run();
  return *answer;
}

capacity_view simulated_pool::capacity() {
  return pool().capacity;
}

asked<bool> simulated_pool::shut_down() {
  auto done = ask<bool>(fleet.supervisor, shutdown_atom_v);
  play({});
  return done;
}

asked<bool> simulated_pool::shut_down_now() {
  auto done = ask<bool>(fleet.supervisor, shutdown_atom_v, hurry_atom_v);
  play({});
  return done;
}

void simulated_pool::load(std::uint16_t port) {
  script->set(port, probe_verdict::good);
  play(std::chrono::seconds(5));
}

void simulated_pool::end_process(std::string slot, std::string instance, exit_status how,
                                 std::string tail) {
  caf::anon_send(commands->listener, exited_atom_v,
                 process_exit{std::move(slot), std::move(instance), how, std::move(tail)});
  play({});
}

}  // namespace fleet
