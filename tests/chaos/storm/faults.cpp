// SPDX-License-Identifier: MIT
#include "chaos/storm/faults.hpp"

#include "launch/support/procfs.hpp"
#include "system/support/requests.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

namespace fleet::chaos {

namespace {

// Orderly: the drain, the grace, and a busy machine.
constexpr auto longest_end = 120s;

std::string seconds(rig::milliseconds span) {
  return " for " + std::to_string(span.count()) + " ms";
}

}  // namespace

faults::faults(std::uint64_t seed, arena& where, watcher& eyes, ledger& book)
    : dice_{seed}, where_{where}, eyes_{eyes}, book_{book} {}

void faults::storm(clock::time_point until) {
  while (clock::now() < until && !book_.failed()) {
    begin_one();
    const auto next = clock::now() + dice_.between(50ms, 1000ms);
    while (clock::now() < next) {
      end_due();
      std::this_thread::sleep_for(20ms);
    }
  }
}

void faults::begin_one() {
  live_ = eyes_.live();
  const auto roll = dice_.below(100);
  if (roll < 15)
    kill_replica();
  else if (roll < 30)
    freeze_replica();
  else if (roll < 46)
    misbehave();
  else if (roll < 50)
    step_clock();
  else if (roll < 58)
    fall_ill();
  else if (roll < 73)
    take_port();
  else if (roll < 82)
    fill_disk();
  else if (roll < 89)
    crowd_out();
  else if (roll < 97)
    crash_router();
  else
    restart_router();
}

void faults::end_due() {
  const auto now = clock::now();
  std::list<ending> due;
  for (auto each = endings_.begin(); each != endings_.end();) {
    const auto next = std::next(each);
    if (each->at <= now)
      due.splice(due.end(), endings_, each);
    each = next;
  }
  for (const auto& each : due)
    each.act();
}

void faults::end_all() {
  for (auto& each : endings_)
    each.at = clock::now();
  end_due();
  if (!where_.router_running())
    where_.start_router();
}

void faults::last(const std::string& what, rig::milliseconds least, rig::milliseconds most,
                  std::function<void()> undo) {
  const auto span = dice_.between(least, most);
  book_.note("fault: " + what + seconds(span));
  endings_.push_back({clock::now() + span, [this, what, undo = std::move(undo)] {
                        undo();
                        book_.note("fault ends: " + what);
                      }});
}

const holder* faults::some_replica() {
  return live_.empty() ? nullptr : &dice_.pick(live_);
}

void faults::kill_replica() {
  const auto* const victim = some_replica();
  if (victim == nullptr)
    return;
  book_.count("faults", "replica killed");
  book_.note("fault: kill -9 " + std::to_string(victim->pid) + " on device " +
             std::to_string(victim->device));
  const auto id = book_.begin_harm(harm::killed, arena::slot_of(victim->device));
  ::kill(victim->pid, SIGKILL);
  // Until its descriptors are closed and every client has seen it.
  endings_.push_back({clock::now() + 2s, [this, id] { book_.heal(id); }});
}

void faults::freeze_replica() {
  const auto* const found = some_replica();
  if (found == nullptr)
    return;
  book_.count("faults", "replica frozen");
  const auto victim = *found;
  const auto id = book_.begin_harm(harm::frozen, arena::slot_of(victim.device));
  ::kill(victim.pid, SIGSTOP);
  last("SIGSTOP of " + std::to_string(victim.pid), 200ms, 8s, [this, victim, id] {
    const auto now = eyes_.live();
    // The pid may be another's by now.
    if (std::find(now.begin(), now.end(), victim) != now.end())
      ::kill(victim.pid, SIGCONT);
    book_.heal(id);
  });
}

void faults::misbehave() {
  const auto device = dice_.below(arena::devices);
  const auto file = where_.fault_file(device);
  if (std::filesystem::exists(file))
    return;
  static const std::vector<std::pair<std::string, harm>> ways{
      {"garbage", harm::garbage}, {"cut", harm::cut}, {"die", harm::killed}};
  const auto& [word, what] = dice_.pick(ways);
  book_.count("faults", word == "die"       ? "replica dies in an answer"
                        : word == "garbage" ? "replica answers garbage"
                                            : "replica breaks off");
  const auto id = book_.begin_harm(what, arena::slot_of(device));
  std::ofstream{file} << word;
  last(word + " on device " + std::to_string(device), 300ms, 2s, [this, file, id] {
    std::filesystem::remove(file);
    book_.heal(id);
  });
}

void faults::fall_ill() {
  const auto file = where_.sick_file(dice_.below(arena::devices));
  if (std::filesystem::exists(file))
    return;
  book_.count("faults", "replica ill");
  std::ofstream{file} << "ill";
  last("503 from /health, " + file, 500ms, 6s, [file] { std::filesystem::remove(file); });
}

void faults::take_port() {
  const auto slots = where_.router_running() ? where_.slots() : std::nullopt;
  if (!slots)
    return;
  static const std::set<std::string> idle{"free", "waiting", "abandoned", "unconfirmed"};
  for (const auto& slot : *slots) {
    const auto device = slot.device;
    const bool held = std::any_of(live_.begin(), live_.end(),
                                  [&](const holder& each) { return each.device == device; });
    if (held || !idle.contains(slot.stage))
      continue;
    const bool mute = dice_.one_in(2);
    std::shared_ptr<rig::scripted_replica> stranger;
    try {
      stranger = std::make_shared<rig::scripted_replica>(
          "stranger", rig::answer_with(rig::response("404 Not Found", "a stranger")), nullptr,
          "127.0.0.1", where_.port_of(device));
    } catch (const std::system_error&) {
      continue;  // somebody was faster
    }
    if (mute)
      stranger->on_health(rig::stay_mute);
    else
      stranger->on_health(rig::answer_with(rig::response("404 Not Found", "a stranger")));
    book_.count("faults", mute ? "mute stranger on a port" : "stranger on a port");
    last("a stranger at " + slot.name, 500ms, 8s, [this, stranger, name = slot.name] {
      if (stranger->request_count() != 0)
        book_.fail("a stranger at " + name + " was given a turn: " + stranger->last_request().head);
    });
    return;
  }
}

void faults::fill_disk() {
  if (disk_full_)
    return;
  book_.count("faults", where_.small_disk() ? "disk full" : "disk gone");
  disk_full_ = true;
  if (where_.small_disk()) {
    std::ofstream filler{where_.disk() + "/filler"};
    const std::string page(4096, 'x');
    while (filler << page << std::flush) {
    }
  } else {
    std::filesystem::rename(where_.disk(), where_.disk() + ".away");
  }
  last("no room for the state file", 500ms, 6s, [this] { free_disk(); });
}

void faults::free_disk() {
  if (!disk_full_)
    return;
  disk_full_ = false;
  if (where_.small_disk())
    std::filesystem::remove(where_.disk() + "/filler");
  else
    std::filesystem::rename(where_.disk() + ".away", where_.disk());
}

void faults::step_clock() {
  static const std::vector<std::chrono::seconds> steps{-24h, -1h, -7s, 7s, 1h, 24h};
  const auto off = dice_.pick(steps);
  book_.count("faults", "clock stepped");
  where_.step_clock(off);
  last("the clock is off by " + std::to_string(off.count()) + " s", 300ms, 6s,
       [this] { where_.step_clock(0s); });
}

void faults::crowd_out() {
  if (crowded_)
    return;
  book_.count("faults", "descriptors used up");
  crowded_ = true;
  const auto id = book_.begin_harm(harm::burst, "");
  auto idle = std::make_shared<std::vector<std::unique_ptr<rig::raw_client>>>(
      rig::many_clients(where_.port(), arena::router_files + 50));
  last("more clients than descriptors", 300ms, 4s, [this, idle, id] {
    idle->clear();
    crowded_ = false;
    book_.heal(id);
  });
}

void faults::crash_router() {
  book_.count("faults", "router killed");
  where_.kill_router();
  // A start with a state file that cannot be written is refused, as it should be.
  free_disk();
  std::this_thread::sleep_for(dice_.between(200ms, 1500ms));
  eyes_.check_recorded();
  if (dice_.one_in(3)) {
    live_ = eyes_.live();
    kill_replica();
  }
  where_.start_router();
}

void faults::restart_router() {
  book_.count("faults", "router restarted in order");
  const auto status = where_.end_router(longest_end);
  if (status != 0)
    book_.fail("SIGTERM in the storm ended the router with " + std::to_string(status.value_or(-1)));
  free_disk();
  // What it could not stop for certain is on record.
  eyes_.check_recorded();
  where_.start_router();
}

}  // namespace fleet::chaos
