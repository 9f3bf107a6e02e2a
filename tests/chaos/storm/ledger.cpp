// SPDX-License-Identifier: MIT
#include "chaos/storm/ledger.hpp"

#include <algorithm>
#include <cstdio>

namespace fleet::chaos {

namespace {

constexpr std::size_t events_kept = 2000;
constexpr std::size_t failures_kept = 20;
// Longer than any turn lives.
constexpr auto harms_kept = 10min;

}  // namespace

std::string ledger::stamped(const std::string& text) const {
  const std::chrono::duration<double> since = clock::now() - began_;
  char stamp[32];
  std::snprintf(stamp, sizeof stamp, "%9.3f  ", since.count());
  return stamp + text;
}

void ledger::note(const std::string& text) {
  const std::lock_guard lock{mutex_};
  events_.push_back(stamped(text));
  if (events_.size() > events_kept)
    events_.pop_front();
}

void ledger::fail(const std::string& text) {
  note("BROKEN " + text);
  const std::lock_guard lock{mutex_};
  if (failures_.size() < failures_kept)
    failures_.push_back(stamped(text));
  failed_ = true;
}

void ledger::count(std::string_view group, std::string_view kind) {
  const std::lock_guard lock{mutex_};
  ++counts_[std::string{group}][std::string{kind}];
}

std::uint64_t ledger::begin_harm(harm what, const std::string& slot) {
  const std::lock_guard lock{mutex_};
  const auto now = clock::now();
  harms_.remove_if([&](const entry& each) { return each.end && *each.end + harms_kept < now; });
  harms_.push_back({next_id_, what, slot, now, std::nullopt});
  return next_id_++;
}

void ledger::heal(std::uint64_t id) {
  const std::lock_guard lock{mutex_};
  for (auto& each : harms_)
    if (each.id == id && !each.end)
      each.end = clock::now();
}

bool ledger::harmed(std::initializer_list<harm> kinds, std::string_view slot,
                    clock::time_point begin, clock::time_point end) const {
  const std::lock_guard lock{mutex_};
  return std::any_of(harms_.begin(), harms_.end(), [&](const entry& each) {
    const bool of_kind = std::find(kinds.begin(), kinds.end(), each.what) != kinds.end();
    return of_kind && (slot.empty() || each.slot == slot) && each.begin <= end &&
           (!each.end || *each.end + 1s >= begin);
  });
}

std::string ledger::totals() const {
  const std::lock_guard lock{mutex_};
  std::string out;
  for (const auto& [group, kinds] : counts_) {
    out += group + ":";
    for (const auto& [kind, count] : kinds)
      out += "  " + kind + " " + std::to_string(count);
    out += "\n";
  }
  return out;
}

std::string ledger::failures() const {
  const std::lock_guard lock{mutex_};
  std::string out;
  for (const auto& each : failures_)
    out += each + "\n";
  return out;
}

std::string ledger::last_events(std::size_t most) const {
  const std::lock_guard lock{mutex_};
  std::string out;
  for (auto i = events_.size() - std::min(most, events_.size()); i < events_.size(); ++i)
    out += events_[i] + "\n";
  return out;
}

}  // namespace fleet::chaos
