// SPDX-License-Identifier: MIT
#include "fleet/core/pin_table.hpp"

namespace fleet {

namespace {

std::uint32_t second_of(pin_table::time_point when) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count());
}

std::chrono::seconds since(std::uint32_t second, pin_table::time_point now) {
  return std::chrono::seconds(second_of(now) - second);
}

}  // namespace

pin_table::pin_table(std::size_t capacity, std::chrono::nanoseconds ttl)
    : capacity_(capacity), ttl_(ttl) {
  // nop
}

pin_state pin_table::look_up(std::string_view session, time_point now) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end())
    return {};
  if (expired(found->second, now))
    return {.expired = true};
  return {.where = found->second.where};
}

pin_view pin_table::view(std::string_view session, time_point now) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || expired(found->second, now) ||
      found->second.where == instance_id{})
    return {};
  const auto& r = found->second;
  const bool moved = r.moved != affinity::none;
  return {.where = r.where,
          .age = since(r.since, now),
          .turns = r.turns,
          .in_flight = r.in_flight,
          .last = r.last,
          .moved = r.moved,
          .from = r.from,
          .moved_age = moved ? since(r.moved_at, now) : std::chrono::seconds(0)};
}

void pin_table::pin(std::string session, instance_id where, time_point now, pin_note note) {
  if (capacity_ == 0)
    return;
  const auto [found, fresh] = sessions_.try_emplace(std::move(session));
  node& n = *found;
  auto& r = n.second;
  if (fresh) {
    begin(r, now);
  } else {
    unlink(age_ring(r), &session_record::age, n);
    if (expired(r, now)) {
      count_end(r, now, ended_.expired);
      release(n);
      begin(r, now);
    } else if (r.where == instance_id{}) {
      begin(r, now);  // its pin was released while turns of it were in flight
    }
  }
  note_turn(r, now, note);
  ++r.in_flight;
  append(busy_, &session_record::age, n);
  if (r.where != where) {
    release(n);
    r.where = where;
    r.reached = false;
    append(pins_[where], &session_record::mates, n);
    ++pinned_;
  }
  if (sessions_.size() - unpinned_turns_.size > capacity_)
    evict(now);
}

void pin_table::unpin(std::string_view session, instance_id where, bool reached, time_point now) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end())
    return;
  node& n = *found;
  auto& r = n.second;
  unlink(age_ring(r), &session_record::age, n);
  if (r.in_flight > 0)
    --r.in_flight;
  if (!reached && r.turns > 0)
    --r.turns;
  r.ended = now;
  if (r.where == where) {
    r.reached = r.reached || reached;
    if (!r.reached)
      release(n);
  }
  append(age_ring(r), &session_record::age, n);
  if (r.in_flight == 0 && r.where == instance_id{})
    erase(n);
}

void pin_table::forget(instance_id where, time_point now) {
  for (auto found = pins_.find(where); found != pins_.end(); found = pins_.find(where)) {
    node& n = *found->second.first;
    count_end(n.second, now, ended_.released);
    if (n.second.in_flight > 0)
      outlive_pin(n);
    else
      erase(n);
  }
}

void pin_table::sweep(time_point now) {
  while (idle_.first != nullptr && expired(idle_.first->second, now)) {
    node& n = *idle_.first;
    count_end(n.second, now, ended_.expired);
    outlive_pin(n);
  }
  while (lapsed_.first != nullptr && now - lapsed_.first->second.ended >= 2 * ttl_)
    erase(*lapsed_.first);
}

std::size_t pin_table::size(time_point now) {
  sweep(now);
  return pinned_;
}

bool pin_table::expired(const session_record& r, time_point now) const {
  return r.in_flight == 0 && now - r.ended >= ttl_;
}

void pin_table::begin(session_record& r, time_point now) {
  r.since = second_of(now);
  r.turns = 0;
  r.moved = affinity::none;
  r.from = 0;
}

void pin_table::note_turn(session_record& r, time_point now, pin_note note) {
  ++r.turns;
  r.last = note.how;
  if (note.how != affinity::moved_load && note.how != affinity::moved_gone)
    return;
  r.moved = note.how;
  r.moved_at = second_of(now);
  r.from = note.from;
}

void pin_table::release(node& n) {
  auto& r = n.second;
  if (r.where == instance_id{})
    return;
  const auto found = pins_.find(r.where);
  unlink(found->second, &session_record::mates, n);
  if (found->second.first == nullptr)
    pins_.erase(found);
  r.where = {};
  --pinned_;
}

// Its pin, if it has one, ends for this reason, unless it had expired before and nobody saw.
void pin_table::count_end(const session_record& r, time_point now, std::uint64_t& cause) {
  if (r.where != instance_id{})
    ++(expired(r, now) ? ended_.expired : cause);
}

void pin_table::evict(time_point now) {
  if (lapsed_.first != nullptr)
    return erase(*lapsed_.first);
  node& n = idle_.first != nullptr ? *idle_.first : *busy_.first;
  count_end(n.second, now, ended_.evicted);
  if (n.second.in_flight > 0)
    outlive_pin(n);
  else
    erase(n);
}

void pin_table::outlive_pin(node& n) {
  unlink(age_ring(n.second), &session_record::age, n);
  release(n);
  append(age_ring(n.second), &session_record::age, n);
}

void pin_table::erase(node& n) {
  unlink(age_ring(n.second), &session_record::age, n);
  release(n);
  sessions_.erase(sessions_.find(n.first));
}

void pin_table::append(ring& r, link session_record::*side, node& n) {
  auto& l = n.second.*side;
  l = {.before = r.last, .after = nullptr};
  (r.last == nullptr ? r.first : (r.last->second.*side).after) = &n;
  r.last = &n;
  ++r.size;
}

void pin_table::unlink(ring& r, link session_record::*side, node& n) {
  auto& l = n.second.*side;
  (l.before == nullptr ? r.first : (l.before->second.*side).after) = l.after;
  (l.after == nullptr ? r.last : (l.after->second.*side).before) = l.before;
  l = {};
  --r.size;
}

}  // namespace fleet
