// SPDX-License-Identifier: MIT
#include "chaos/storm/watcher.hpp"

#include "launch/support/procfs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>

namespace fleet::chaos {

namespace {

constexpr auto between_looks = 40ms;
constexpr auto between_questions = 400ms;

std::string of(pid_t pid, const char* what) {
  return rig::read_file("/proc/" + std::to_string(pid) + "/" + what);
}

// Field 22 of stat; empty for a zombie and for what is gone.
std::string birth_of(pid_t pid) {
  const auto stat = of(pid, "stat");
  const auto behind = stat.rfind(") ");
  if (behind == std::string::npos || stat[behind + 2] == 'Z' || stat[behind + 2] == 'X')
    return {};
  std::istringstream rest{stat.substr(behind + 2)};
  std::string word;
  for (int field = 3; field <= 22; ++field)
    rest >> word;
  return word;
}

bool lives(const holder& each) {
  return birth_of(each.pid) == each.birth;
}

std::string value_of(const std::vector<std::string>& lines, const std::string& name) {
  for (const auto& line : lines)
    if (line.starts_with(name + "="))
      return line.substr(name.size() + 1);
  return {};
}

std::optional<holder> holder_at(pid_t pid, const std::string& mark) {
  // The program first: it is what most processes are not.
  const auto words = rig::nul_words(of(pid, "cmdline"));
  if (words.empty() || words.front() != FLEET_STUB_BINARY)
    return std::nullopt;
  const auto flag = std::find(words.begin(), words.end(), "--devices");
  const auto lines = rig::environment_of(pid);
  if (flag == words.end() || std::next(flag) == words.end() ||
      std::find(lines.begin(), lines.end(), mark) == lines.end())
    return std::nullopt;
  holder found{pid, birth_of(pid), 0, value_of(lines, "PYPTO_ROUTER_INSTANCE")};
  const auto& device = *std::next(flag);
  std::from_chars(device.data(), device.data() + device.size(), found.device);
  if (found.birth.empty())
    return std::nullopt;
  return found;
}

std::string told(const holder& each) {
  return "pid " + std::to_string(each.pid) + " on device " + std::to_string(each.device) +
         ", instance " + (each.instance.empty() ? "none" : each.instance);
}

std::vector<pid_t> pids() {
  std::vector<pid_t> found;
  for (const auto& each : std::filesystem::directory_iterator{"/proc"}) {
    const auto name = each.path().filename().string();
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc{} && stop == name.data() + name.size())
      found.push_back(pid);
  }
  return found;
}

}  // namespace

std::vector<pid_t> marked(const std::string& mark) {
  auto found = rig::carriers_of(mark);
  std::erase_if(found, [](pid_t pid) { return birth_of(pid).empty(); });
  return found;
}

watcher::watcher(arena& where, ledger& book)
    : where_{where}, book_{book}, watching_{[this] { watch(); }}, asking_{[this] { ask(); }} {}

watcher::~watcher() {
  stop_ = true;
  watching_.join();
  asking_.join();
}

std::vector<holder> watcher::live() {
  // The look that runs now may have begun before the call.
  const auto wanted = looks_ + 2;
  rig::eventually([&] { return looks_ >= wanted; }, 60s);
  const std::lock_guard lock{mutex_};
  return last_;
}

clock::time_point watcher::free_since(std::size_t device) const {
  const std::lock_guard lock{mutex_};
  const auto found = last_held_.find(device);
  return found == last_held_.end() ? clock::time_point{} : found->second;
}

void watcher::check_recorded() {
  const auto seen = look();
  const auto record = rig::read_file(where_.state_file());
  for (const auto& each : seen)
    if (lives(each) && record.find('"' + each.instance + '"') == std::string::npos)
      book_.fail("not on record while the router is down: " + told(each) +
                 "; the record: " + record);
  book_.count("checks", "record");
}

void watcher::watch() {
  for (; !stop_; std::this_thread::sleep_for(between_looks)) {
    const auto seen = look();
    take(seen);
    check_devices(seen);
    ++looks_;
  }
}

// Apart from the looks: an answer may take as long as a fault lasts.
void watcher::ask() {
  for (; !stop_; std::this_thread::sleep_for(between_questions))
    if (where_.router_running())
      check_listed(look());
}

std::vector<holder> watcher::look() const {
  std::vector<holder> seen;
  for (const auto pid : pids())
    if (const auto found = holder_at(pid, where_.mark()))
      seen.push_back(*found);
  return seen;
}

void watcher::take(const std::vector<holder>& seen) {
  const std::lock_guard lock{mutex_};
  for (const auto& each : seen) {
    last_held_[each.device] = clock::now();
    if (std::find(last_.begin(), last_.end(), each) == last_.end()) {
      book_.note("process appears: " + told(each));
      book_.count("processes", "seen");
    }
  }
  for (const auto& each : last_)
    if (std::find(seen.begin(), seen.end(), each) == seen.end())
      book_.note("process is gone: " + told(each));
  last_ = seen;
}

void watcher::check_devices(const std::vector<holder>& seen) {
  for (auto a = seen.begin(); a != seen.end(); ++a)
    for (auto b = std::next(a); b != seen.end(); ++b)
      // Both were seen, and the one seen first is there still.
      if (a->device == b->device && lives(*a))
        book_.fail("two live processes on one device: " + told(*a) + "; " + told(*b));
}

void watcher::check_listed(const std::vector<holder>& seen) {
  const auto slots = where_.slots();
  if (!slots)
    return;
  book_.count("checks", "listed");
  for (const auto& each : seen)
    for (const auto& slot : *slots) {
      const bool free =
          slot.stage == "free" || slot.stage == "abandoned" || slot.stage == "waiting";
      // It lived before the question and lives behind the answer.
      if (slot.device == each.device && free && lives(each))
        book_.fail("neither listed, reserved nor recorded: " + told(each) + "; its slot is " +
                   slot.stage);
    }
}

}  // namespace fleet::chaos
