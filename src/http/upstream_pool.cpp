// SPDX-License-Identifier: MIT
#include "upstream_pool.hpp"

#include <algorithm>

namespace fleet::http {

namespace {

/// After this long without a turn a lane forgets an instance; it can always ask again.
constexpr std::chrono::minutes forget_after{10};

}  // namespace

std::shared_ptr<pooled_replica> upstream_pool::find(instance_id instance) {
  bound_.check();
  const auto found = replicas_.find(instance);
  if (found == replicas_.end()) {
    return nullptr;
  }
  found->second->used = steady_clock::now();
  return found->second;
}

std::shared_ptr<pooled_replica> upstream_pool::add(instance_id instance, replica_spec spec) {
  bound_.check();
  drop_unused();
  auto replica = std::make_shared<pooled_replica>();
  replica->authority = fleet::authority(spec.where);
  replica->tls = tls_.find(spec.where, replica->tls_error);
  replica->meter = meter_.of(spec.name);
  replica->spec = std::move(spec);
  replica->used = steady_clock::now();
  replicas_[instance] = replica;
  return replica;
}

std::shared_ptr<upstream> upstream_pool::take(pooled_replica& replica) {
  bound_.check();
  while (!replica.idle.empty()) {
    auto connection = std::move(replica.idle.back());
    replica.idle.pop_back();
    connection->on_change(nullptr);
    connection->idle.disarm();
    if (!connection->closed() && !connection->failure() && connection->bytes().empty()) {
      return connection;
    }
    connection->close();
  }
  return nullptr;
}

std::shared_ptr<upstream> upstream_pool::make(const pooled_replica& replica) {
  bound_.check();
  leave(most_ - 1);
  auto connection = std::make_shared<upstream>(lane_, wheel_, replica.tls);
  connection->place = places_;
  return connection;
}

awaitable<error_code> upstream_pool::connect(const pooled_replica& replica,
                                             const std::shared_ptr<upstream>& connection,
                                             resolver_pool& names) {
  if (replica.tls_error) {
    co_return replica.tls_error;
  }
  auto ec = co_await connection->connect(names, replica.spec.where, settings_.connect_timeout);
  while (out_of_descriptors(ec) && close_oldest()) {
    ec = co_await connection->connect(names, replica.spec.where, settings_.connect_timeout);
  }
  co_return ec;
}

void upstream_pool::give_back(const std::shared_ptr<pooled_replica>& replica,
                              const std::shared_ptr<upstream>& connection) {
  bound_.check();
  if (connection->closed() || connection->failure() || !connection->bytes().empty()) {
    connection->close();
    return;
  }
  connection->reused = true;
  connection->idle_since = steady_clock::now();
  // Weak, or connection and callback would hold each other.
  const auto end = [weak_replica = std::weak_ptr(replica), weak = std::weak_ptr(connection)] {
    const auto gone = weak.lock();
    if (!gone) {
      return;
    }
    gone->close();
    if (const auto owner = weak_replica.lock()) {
      std::erase(owner->idle, gone);
    }
  };
  connection->on_change(end);
  connection->idle.arm(settings_.pool_timeout, end);
  connection->arm();
  replica->idle.push_back(connection);
  leave(most_);
}

void upstream_pool::fit(std::size_t most) {
  bound_.check();
  most_ = std::max<std::size_t>(most, 1);
  leave(most_);
}

void upstream_pool::leave(std::size_t most) {
  while (open_count() > most && close_oldest()) {
  }
}

std::size_t upstream_pool::open_count() const {
  return static_cast<std::size_t>(places_.use_count()) - 1;
}

bool upstream_pool::close_oldest() {
  pooled_replica* oldest = nullptr;
  for (const auto& [instance, replica] : replicas_) {
    if (!replica->idle.empty() && (oldest == nullptr || replica->idle.front()->idle_since <
                                                            oldest->idle.front()->idle_since)) {
      oldest = replica.get();
    }
  }
  if (oldest == nullptr) {
    return false;
  }
  oldest->idle.front()->close();
  oldest->idle.erase(oldest->idle.begin());
  return true;
}

std::size_t upstream_pool::idle_count() const {
  bound_.check();
  std::size_t count = 0;
  for (const auto& [instance, replica] : replicas_) {
    count += replica->idle.size();
  }
  return count;
}

void upstream_pool::clear() {
  bound_.check();
  for (auto& [instance, replica] : replicas_) {
    for (const auto& connection : std::exchange(replica->idle, {})) {
      connection->close();
    }
  }
}

void upstream_pool::drop_unused() {
  const auto now = steady_clock::now();
  std::erase_if(replicas_, [now](const auto& item) {
    return item.second->idle.empty() && now - item.second->used > forget_after;
  });
}

}  // namespace fleet::http
