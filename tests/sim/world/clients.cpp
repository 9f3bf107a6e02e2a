// SPDX-License-Identifier: MIT
#include "sim/world/clients.hpp"

#include <utility>

namespace fleet::sim {

void clients::begin() {
  world_.after(world_.luck.between(1ms, 2 * world_.made_of.turn_every), [this] {
    if (stopped_)
      return;
    come();
    begin();
  });
}

void clients::burst(std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i)
    come();
}

void clients::come() {
  if (!world_.router)
    return;
  auto& luck = world_.luck;
  const auto id = ++last_;
  auto& t = turns_[id];
  const bool single = luck.percent(25);
  t.query.session = single ? "once" + std::to_string(id)
                           : "s" + std::to_string(luck.below(world_.made_of.sessions));
  t.query.fresh = single;
  if (luck.percent(5))
    t.query = {.counted = false};
  ask(id);
}

void clients::ask(std::uint64_t id) {
  auto& t = turns_.at(id);
  t.asked = world_.now;
  t.connected = false;
  world_.router->route(t.query, [this, id](const route_answer* x) { answered(id, x); });
}

void clients::answered(std::uint64_t id, const route_answer* answer) {
  auto& t = turns_.at(id);
  if (answer == nullptr || !answer->found) {
    if (answer != nullptr)
      world_.judge.refused(t.asked, world_.now, answer->why);
    turns_.erase(id);
    return;
  }
  t.where = answer->where.replica;
  t.chosen = answer->where.how;
  if (const auto known = ports_.find(t.where); known != ports_.end()) {
    t.port = known->second;
    return connect(id);
  }
  world_.router->describe(t.where, [this, id](const replica_spec* spec) {
    auto& asker = turns_.at(id);
    asker.port = spec == nullptr ? std::uint16_t{0} : spec->where.port;
    if (asker.port != 0)
      ports_[asker.where] = asker.port;
    connect(id);
  });
}

void clients::connect(std::uint64_t id) {
  auto& t = turns_.at(id);
  auto told = t.where;
  if (world_.harm == sabotage::stale_answers && t.port != 0 && id % 2 == 0)
    told = stale_.try_emplace(t.port, told).first->second;
  world_.judge.routed(t.asked, world_.now, told, t.port);
  if (t.port != 0 && there_.accepts(t.port))
    return serve(id);
  const bool lost =
      t.port != 0 && !machines::is_static(t.port) && there_.is_cut(machines::host_of(t.port));
  world_.answer_after(lost ? world_.made_of.routing.connect_timeout : duration(1ms),
                      [this, id] { fail_to_connect(id); });
}

void clients::fail_to_connect(std::uint64_t id) {
  auto& t = turns_.at(id);
  if (t.port != 0)
    world_.judge.unreachable(world_.now, t.port);
  give_back(t, turn_outcome::connect_failed);
  t.query.tried.push_back(t.where);
  ask(id);
}

void clients::serve(std::uint64_t id) {
  auto& luck = world_.luck;
  turns_.at(id).connected = true;
  auto lasts = luck.between(200ms, 15s);
  if (luck.percent(10))
    lasts = luck.between(15s, 150s);
  const auto fate = luck.below(20);
  const auto how = fate == 0   ? turn_outcome::client_gone
                   : fate == 1 ? turn_outcome::timed_out
                               : turn_outcome::done;
  world_.answer_after(lasts, [this, id, how] {
    if (turns_.contains(id))
      finish(id, how);
  });
}

void clients::broken(std::uint16_t port) {
  for (auto it = turns_.begin(); it != turns_.end();) {
    const auto id = it->first;
    const bool cut = it->second.connected && it->second.port == port;
    ++it;
    if (cut)
      finish(id, turn_outcome::replica_failed);
  }
}

void clients::finish(std::uint64_t id, turn_outcome how) {
  const auto node = turns_.extract(id);
  give_back(node.mapped(), how, world_.harm == sabotage::lost_turn && id % 8 == 0);
}

void clients::give_back(const turn& t, turn_outcome how, bool gets_lost) {
  if (!world_.router)
    return;
  world_.judge.turn_ended(t.where);
  if (gets_lost)
    return;
  const turn_end end{.replica = t.where,
                     .session = t.query.session,
                     .how = how,
                     .reason = to_string(how),
                     .chosen = t.chosen,
                     .counted = t.query.counted};
  world_.router->finished(end);
  if (world_.harm == sabotage::double_finish)
    world_.router->finished(end);
}

void clients::router_died() {
  turns_.clear();
  ports_.clear();
  stale_.clear();
}

}  // namespace fleet::sim
