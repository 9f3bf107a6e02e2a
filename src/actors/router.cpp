// SPDX-License-Identifier: MIT
// Turns, membership and ends: see router_views.cpp for what can be asked.
#include "router.hpp"

#include "session_shard.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace fleet {

namespace {

// Several shards, so that lanes can share the work on pins; few pins need none of that, and one
// shard keeps their order of eviction exact.
constexpr std::size_t many_sessions = 1024;
constexpr std::size_t shards_for_many = 4;

std::size_t shard_count(const routing_settings& settings) {
  if (settings.affinity_slack == 0)
    return 0;
  return settings.max_sessions < many_sessions ? 1 : shards_for_many;
}

}  // namespace

router_actor::behavior_type router(router_state::pointer self, const routing_settings& settings,
                                   std::size_t statics, bool recorded, logger* log) {
  return self->state.start(settings, statics + (recorded ? 1 : 0), *log);
}

router_actor::behavior_type router_state::start(const routing_settings& settings,
                                                std::size_t awaited, logger& log) {
  settings_ = settings;
  log_ = &log;
  for (std::size_t i = 0; i < shard_count(settings); ++i)
    shards_.push_back(spawn_shard(i));
  awaited_ = awaited;
  if (awaited > 0) {
    const auto later = [this](std::chrono::nanoseconds delay, patience left) {
      self_->delayed_send(self_, delay, tick_atom_v, static_cast<std::uint64_t>(left));
    };
    patience_ = patience::everything;
    later(settings.first_probe_wait, patience::turns_without_replica);
    later(settings.connect_timeout, patience::nothing);
  }
  self_->set_down_handler([this](const caf::down_msg& death) { child_died(death); });
  self_->set_exit_handler([this](const caf::exit_msg& order) { exit(order.reason); });
  return {
      [this](route_atom, route_query& query) { return route(query); },
      [this](finished_atom, turn_end& end) { finished(end); },
      [this](describe_atom, instance_id id) { return describe(id); },
      [this](health_atom) { return health(); },
      [this](session_atom, const std::string& id) { return session(id); },
      [this](join_atom, instance_id id, replica_spec& spec, placement& place,
             lost_listener_actor& lost_to) { join(id, spec, place, lost_to); },
      [this](leave_atom, instance_id id) { leave(id); },
      [this](quiesce_atom, instance_id id) { return quiesce(id); },
      [this](quiesce_atom) { return quiesce(); },
      [this](phase_atom, phase_report& report) { hear(report); },
      [this](adopted_atom) {
        first_probe_done();
        release_held();
      },
      [this](tick_atom, std::uint64_t left) { lose_patience(static_cast<patience>(left)); },
  };
}

// -- one turn ---------------------------------------------------------------

caf::result<route_answer> router_state::route(route_query& query) {
  if (refuses(query) || (!holds(query) && !needs_pin(query)))
    return decide(query, {});
  auto answer = self_->make_response_promise<route_answer>();
  advance({std::move(query), answer});
  return answer;
}

// A turn that already tried a replica is one of those that a shutdown still waits for.
bool router_state::refuses(const route_query& query) const {
  return closed_ || (closing_ && query.tried.empty());
}

bool router_state::holds(const route_query& query) const {
  if (patience_ == patience::everything)
    return true;
  return patience_ == patience::turns_without_replica && query.tried.empty() && !loads_.least({});
}

bool router_state::needs_pin(const route_query& query) const {
  return !query.session.empty() && !query.fresh && !affinity_off();
}

void router_state::advance(waiting_turn turn) {
  if (refuses(turn.query))
    turn.answer.deliver(decide(turn.query, {}));
  else if (holds(turn.query))
    held_.push_back(std::move(turn));
  else if (needs_pin(turn.query))
    look_up(std::move(turn));
  else
    turn.answer.deliver(decide(turn.query, {}));
}

// Turns of one session that come while its pin is looked up wait for that one answer: simultaneous
// first turns thereby share one pin.
void router_state::look_up(waiting_turn turn) {
  auto [entry, first] = looking_.try_emplace(turn.query.session);
  entry->second.push_back(std::move(turn));
  if (!first)
    return;
  const auto& session = entry->first;
  // Without a time limit: a shard answers at once, and a dead one answers with an error.
  self_->request(shard_of(session), caf::infinite, lookup_atom_v, session)
      .then([this, &session](pin_state pin) { looked_up(session, pin); },
            [this, &session](const caf::error& why) {
              log_->error("pin_lookup_failed", {{"reason", to_string(why)}});
              looked_up(session, {});
            });
}

void router_state::looked_up(const std::string& session, pin_state pin) {
  auto turns = looking_.extract(looking_.find(session));
  for (auto& turn : turns.mapped()) {
    const auto answer = decide(turn.query, pin);
    if (answer.found)
      pin = {.where = answer.where.replica};
    turn.answer.deliver(answer);
  }
}

route_answer router_state::decide(route_query& query, pin_state pin) {
  if (refuses(query))
    return {.why = no_route::shutting_down};
  const auto where = choose(loads_, query, pin, settings_.affinity_slack);
  if (!where) {
    if (!query.tried.empty())
      return {.why = no_route::all_tried};
    rejected_ += query.counted ? 1 : 0;
    return {.why = no_route::no_replica};
  }
  loads_.raise(where->replica);
  if (query.counted) {
    ++members_.at(where->replica).routed;
    routed_ += query.tried.empty() ? 1 : 0;
    affinity_hits_ += where->how == affinity::hit ? 1 : 0;
  }
  if (!query.session.empty() && !affinity_off()) {
    const auto& shard = shard_of(query.session);
    const auto note = note_of(query, pin.where, where->how);
    self_->send(shard, pin_atom_v, std::move(query.session), where->replica, note);
  }
  return {.found = true, .where = *where};
}

void router_state::finished(turn_end& end) {
  if (!loads_.lower(end.replica))
    return;
  if (end.first_byte)
    answered(end.replica, *end.first_byte);
  if (end.how == turn_outcome::connect_failed)
    lost(end);
  if (!end.session.empty() && !affinity_off()) {
    const bool reached =
        end.how != turn_outcome::connect_failed && end.how != turn_outcome::aborted;
    const auto& shard = shard_of(end.session);
    self_->send(shard, unpin_atom_v, std::move(end.session), end.replica, reached);
  }
  turn_ended(end.replica);
}

pin_note router_state::note_of(const route_query& query, instance_id pinned, affinity how) const {
  if (how != affinity::moved_load && how != affinity::moved_gone)
    return {.how = how};
  const auto from = pinned != instance_id{} || query.tried.empty() ? pinned : query.tried.back();
  const auto found = members_.find(from);
  return {.how = how, .from = found == members_.end() ? 0 : found->second.number};
}

void router_state::answered(instance_id id, std::chrono::nanoseconds first_byte) {
  const auto found = members_.find(id);
  if (found == members_.end())
    return;
  ++found->second.answers;
  found->second.first_byte_sum += first_byte;
}

// The turn went nowhere: it hit no pin and is no turn of that replica.
void router_state::lost(turn_end& end) {
  const auto id = end.replica;
  const auto found = members_.find(id);
  if (found == members_.end())
    return;
  auto& m = found->second;
  m.routed -= end.counted ? 1 : 0;
  affinity_hits_ -= end.counted && end.chosen == affinity::hit ? 1 : 0;
  if (m.health != phase::ready)
    return;
  loads_.set_routable(id, false);
  m.become(phase::failed, m.draining, self_->clock().now());
  m.reason = end.reason;
  self_->send(m.lost_to, lost_atom_v, id, std::move(end.reason));
}

void router_state::turn_ended(instance_id id) {
  const auto found = members_.find(id);
  if (found != members_.end() && loads_.outstanding(id) == 0) {
    for (auto& x : std::exchange(found->second.drained, {}))
      x.deliver(caf::unit);
  }
  if (closing_ && loads_.total() == 0) {
    closed_ = true;
    for (auto& x : std::exchange(closed_to_, {}))
      x.deliver(caf::unit);
  }
}

// -- membership -------------------------------------------------------------

void router_state::join(instance_id id, replica_spec& spec, placement& place,
                        lost_listener_actor& lost_to) {
  const auto number = number_of(spec.name);
  const auto [_, joined] = members_.try_emplace(id, member{.spec = std::move(spec),
                                                           .place = std::move(place),
                                                           .lost_to = std::move(lost_to),
                                                           .since = self_->clock().now(),
                                                           .number = number});
  if (!joined)
    return;
  joined_.push_back(id);
  loads_.add(id);
}

void router_state::leave(instance_id id) {
  const auto found = members_.find(id);
  if (found == members_.end())
    return;
  for (auto& x : found->second.drained)
    x.deliver(caf::unit);
  members_.erase(found);
  std::erase(joined_, id);
  loads_.remove(id);
  release_pins(id);
}

caf::result<void> router_state::quiesce(instance_id id) {
  const auto found = members_.find(id);
  if (found == members_.end())
    return caf::unit;
  auto& m = found->second;
  if (!m.draining) {
    m.become(m.health, true, self_->clock().now());
    loads_.set_routable(id, false);
    release_pins(id);
  }
  if (loads_.outstanding(id) == 0)
    return caf::unit;
  m.drained.push_back(self_->make_response_promise());
  return caf::delegated<void>{};
}

caf::result<void> router_state::quiesce() {
  closing_ = true;
  release_held();
  if (loads_.total() == 0) {
    closed_ = true;
    return caf::unit;
  }
  closed_to_.push_back(self_->make_response_promise());
  return caf::delegated<void>{};
}

void router_state::hear(phase_report& report) {
  const auto found = members_.find(report.instance);
  if (found == members_.end())
    return;
  auto& m = found->second;
  m.become(report.now, m.draining, self_->clock().now());
  m.reason = std::move(report.reason);
  loads_.set_routable(report.instance, m.health == phase::ready && !m.draining);
  if (report.probed && !std::exchange(m.probed, true) && !m.owned())
    first_probe_done();
  release_held();
}

void router_state::lose_patience(patience left) {
  patience_ = std::max(patience_, left);
  release_held();
}

void router_state::release_held() {
  for (auto& turn : std::exchange(held_, {}))
    advance(std::move(turn));
  if (patience_ == patience::everything && !closing_)
    return;
  for (auto& answer : std::exchange(held_views_, {}))
    answer_health(std::move(answer));
}

// -- shards -----------------------------------------------------------------

const session_shard_actor& router_state::shard_of(const std::string& session) const {
  return shards_[std::hash<std::string>{}(session) % shards_.size()];
}

session_shard_actor router_state::spawn_shard(std::size_t index) {
  const auto count = shard_count(settings_);
  const auto share = settings_.max_sessions / count;
  const auto rest = settings_.max_sessions % count;
  return self_->spawn<caf::monitored>(session_shard, share + (index < rest ? 1 : 0),
                                      settings_.session_ttl);
}

void router_state::release_pins(instance_id id) {
  for (const auto& shard : shards_)
    self_->send(shard, forget_atom_v, id);
}

// -- ends -------------------------------------------------------------------

// A defect here, whose cost is bounded: the sessions of that shard get new pins.
void router_state::child_died(const caf::down_msg& death) {
  const auto found =
      std::find_if(shards_.begin(), shards_.end(),
                   [&](const session_shard_actor& x) { return x.address() == death.source; });
  if (found == shards_.end())
    return;
  log_->error("actor_died",
              {{"actor", session_shard_state::name}, {"reason", to_string(death.reason)}});
  *found = spawn_shard(static_cast<std::size_t>(found - shards_.begin()));
}

// A promise that dies with its holder is never answered, so all are answered here.
void router_state::exit(const caf::error& reason) {
  closing_ = closed_ = true;
  release_held();
  for (auto& [_, turns] : std::exchange(looking_, {})) {
    for (auto& turn : turns)
      turn.answer.deliver(decide(turn.query, {}));
  }
  for (auto& [_, m] : members_) {
    for (auto& x : m.drained)
      x.deliver(caf::unit);
  }
  for (auto& x : closed_to_)
    x.deliver(caf::unit);
  for (const auto& shard : shards_)
    self_->send_exit(shard, caf::exit_reason::user_shutdown);
  self_->quit(reason);
}

}  // namespace fleet
