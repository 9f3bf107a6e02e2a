// SPDX-License-Identifier: MIT
// What the router tells of itself: see router.cpp for the rest.
#include "router.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <utility>

namespace fleet {

replica_spec router_state::describe(instance_id id) const {
  const auto found = members_.find(id);
  return found == members_.end() ? replica_spec{} : found->second.spec;
}

caf::result<fleet_view> router_state::health() {
  auto answer = self_->make_response_promise<fleet_view>();
  if (patience_ == patience::everything && !closing_)
    held_views_.push_back(answer);
  else
    answer_health(answer);
  return answer;
}

void router_state::answer_health(caf::typed_response_promise<fleet_view> answer) {
  if (affinity_off()) {
    answer.deliver(view(0, {}));
    return;
  }
  struct tally {
    caf::typed_response_promise<fleet_view> answer;
    std::size_t missing = 0;
    std::uint64_t sessions = 0;
    pin_ends ended;
  };
  auto sum = std::make_shared<tally>(tally{std::move(answer), shards_.size()});
  const auto add = [this, sum](std::uint64_t count, const pin_ends& ended) {
    sum->sessions += count;
    sum->ended.expired += ended.expired;
    sum->ended.evicted += ended.evicted;
    sum->ended.released += ended.released;
    if (--sum->missing == 0)
      sum->answer.deliver(view(sum->sessions, sum->ended));
  };
  for (const auto& shard : shards_)
    self_->request(shard, caf::infinite, count_atom_v).then(add, [add](const caf::error&) {
      add(0, {});
    });
}

fleet_view router_state::view(std::uint64_t sessions, const pin_ends& ended) const {
  fleet_view all{.sessions = sessions,
                 .routed = routed_,
                 .affinity_hits = affinity_hits_,
                 .rejected = rejected_,
                 .ended = ended};
  const auto now = self_->clock().now();
  for (const auto id : joined_) {
    const auto& m = members_.at(id);
    all.replicas.push_back({.instance = id,
                            .name = m.spec.name,
                            .url = url(m.spec.where),
                            .now = m.shown(),
                            .ready = m.health == phase::ready,
                            .owned = m.owned(),
                            .draining = m.draining,
                            .outstanding = loads_.outstanding(id),
                            .routed = m.routed,
                            .reason = m.reason,
                            .since = now - m.since,
                            .place = m.place,
                            .answers = m.answers,
                            .first_byte_sum = m.first_byte_sum});
  }
  return all;
}

caf::result<session_view> router_state::session(const std::string& id) {
  if (affinity_off())
    return session_view{};
  auto answer = self_->make_response_promise<session_view>();
  self_->request(shard_of(id), caf::infinite, session_atom_v, id)
      .then([this, answer](const pin_view& pin) mutable { answer.deliver(named(pin)); },
            [answer](const caf::error&) mutable { answer.deliver(session_view{}); });
  return answer;
}

session_view router_state::named(const pin_view& pin) const {
  const auto found = members_.find(pin.where);
  if (found == members_.end())
    return {};
  return {.replica = found->second.spec.name, .pin = pin, .from = names_.at(pin.from)};
}

std::uint32_t router_state::number_of(const std::string& replica) {
  const auto [found, first] =
      numbers_.try_emplace(replica, static_cast<std::uint32_t>(names_.size()));
  if (first)
    names_.push_back(replica);
  return found->second;
}

}  // namespace fleet
