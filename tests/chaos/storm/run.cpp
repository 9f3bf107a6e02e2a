// SPDX-License-Identifier: MIT
#include "chaos/storm/run.hpp"

#include "system/support/fleet_view.hpp"
#include "system/support/requests.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>

namespace fleet::chaos {

namespace {

// From the last fault to a fleet that is whole again, on a busy machine.
constexpr auto longest_recovery = 180s;
constexpr auto longest_end = 120s;
constexpr auto planted_storm = 20s;
constexpr std::size_t calm_turns = 5;
// Probes and admin calls come and go.
constexpr std::size_t descriptors_spare = 8;

}  // namespace

run::run(run_setup setup, ledger& book)
    : setup_{std::move(setup)},
      book_{book},
      where_{{.folder = setup_.folder, .planted = setup_.planted}, book},
      eyes_{where_, book},
      clients_{setup_.clients, setup_.seed, where_, book} {}

run::~run() {
  clients_.end_storm();
  strays_.clear();
  if (where_.router_running())
    where_.kill_router();
  for (const auto pid : marked(where_.mark()))
    ::kill(pid, SIGKILL);
}

void run::play() {
  rise();
  if (!book_.failed())
    storm();
  if (!book_.failed())
    settle();
  if (!book_.failed())
    quiet();
  if (!book_.failed())
    end();
  if (const auto defects = where_.defects(); !defects.empty())
    book_.fail("the router's log tells of a defect:\n" + defects);
}

bool run::all_ready() const {
  try {
    const auto now = rig::health(where_.port());
    return now.replicas_ready == static_cast<std::int64_t>(arena::devices);
  } catch (const std::exception&) {
    return false;  // no answer yet
  }
}

void run::rise() {
  if (!where_.start_router())
    return;
  if (!rig::eventually([this] { return all_ready(); }, longest_recovery))
    book_.fail("the fleet does not come up");
  descriptors_ = where_.router_descriptors();
}

void run::storm() {
  book_.note("the storm begins");
  clients_.begin_storm();
  if (setup_.planted == plant::none) {
    faults breaking{setup_.seed + 1, where_, eyes_, book_};
    {
      const operators calling{setup_.seed + 2, where_, eyes_, book_};
      breaking.storm(clock::now() + setup_.storm);
    }
    breaking.end_all();
  } else {
    plant_in_storm();
  }
  clients_.end_storm();
  book_.note("the storm is over");
}

void run::plant_in_storm() {
  const auto last = arena::devices - 1;
  switch (setup_.planted) {
    case plant::twin:
      stray(0);
      break;
    case plant::orphan:
      call(where_, book_, "DELETE", "/replicas/" + arena::slot_of(last));
      stray(last);
      break;
    case plant::unrecorded:
      where_.kill_router();
      std::ofstream{where_.state_file()} << R"({"version":1,"replicas":[],"reservations":[]})";
      eyes_.check_recorded();
      break;
    case plant::lost_piece:
    case plant::swapped:
    case plant::cut:
    case plant::odd_error:
      break;
    default:
      return;
  }
  rig::eventually([this] { return book_.failed(); }, planted_storm);
}

void run::stray(std::size_t device) {
  const auto mark = where_.mark();
  const auto equals = mark.find('=');
  strays_.push_back(std::make_unique<rig::child_process>(
      rig::child_setup{.argv = {FLEET_STUB_BINARY, "--model", "/m", "--devices",
                                std::to_string(device), "--port", "0"},
                       .env = {{mark.substr(0, equals), mark.substr(equals + 1)},
                               {"PYPTO_ROUTER_INSTANCE", "nobody"}}}));
}

// What an operator does behind a storm: ends what was given up, releases its slot, fills the pool.
void run::settle_once() {
  const auto slots = where_.slots();
  if (!slots)
    return;
  const auto holders = eyes_.live();
  for (const auto& slot : *slots) {
    if (slot.stage == "unconfirmed")
      for (const auto& each : holders)
        if (each.device == slot.device) {
          book_.note("operator: kill -9 " + std::to_string(each.pid));
          ::kill(each.pid, SIGKILL);
        }
    if (slot.stage == "free" || slot.stage == "abandoned" || slot.stage == "waiting")
      call(where_, book_, "POST", "/replicas", R"({"slot":")" + slot.name + "\"}");
  }
  release_free_slots(where_, eyes_, book_);
}

void run::settle() {
  const auto begin = clock::now();
  // What only recovers gets the time to.
  if (setup_.planted == plant::none)
    rig::eventually([this] { return all_ready(); }, 10s);
  while (!all_ready()) {
    if (clock::now() - begin > longest_recovery)
      return book_.fail("the fleet does not recover: " + where_.admin("GET", "/slots").body);
    settle_once();
    std::this_thread::sleep_for(1s);
  }
  book_.note("all replicas are ready");
}

std::int64_t run::outstanding() const {
  std::int64_t sum = 0;
  for (const auto& each : rig::health(where_.port()).replicas)
    sum += each.outstanding;
  return sum;
}

void run::quiet() {
  clients_.calm(calm_turns);
  if (setup_.planted == plant::held_turn) {
    for (const auto& each : eyes_.live())
      ::kill(each.pid, SIGSTOP);
    held_ = rig::many_clients(where_.port(), 1);
    held_.front()->send(rig::chat(R"({"messages":[]})"));
    rig::eventually([this] { return outstanding() != 0; });
  }
  if (!rig::eventually([this] { return outstanding() == 0; }, patience()))
    return book_.fail("outstanding is not 0 at rest: " + rig::get(where_.port(), "/health").body);
  clients_.leave();
  if (setup_.planted == plant::leak) {
    held_ = rig::many_clients(where_.port(), 2 * descriptors_spare);
    rig::eventually(
        [this] { return where_.router_descriptors() > descriptors_ + descriptors_spare; });
  }
  std::size_t now = 0;
  const bool back = rig::eventually(
      [&] {
        now = where_.router_descriptors();
        return now <= descriptors_ + descriptors_spare;
      },
      patience());
  if (!back)
    book_.fail("the router has " + std::to_string(now) + " descriptors at rest, " +
               std::to_string(descriptors_) + " before the storm");
}

void run::end() {
  if (setup_.planted == plant::left_over)
    stray(0);
  if (setup_.planted == plant::hard_end)
    ::kill(where_.router_pid(), SIGKILL);
  const auto status = where_.end_router(longest_end);
  if (status != 0)
    book_.fail("the router ended with " + std::to_string(status.value_or(-1)));
  for (const auto pid : marked(where_.mark()))
    book_.fail("pid " + std::to_string(pid) + " outlives the router's orderly end");
}

}  // namespace fleet::chaos
