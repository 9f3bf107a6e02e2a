// SPDX-License-Identifier: MIT
#include "resolver_pool.hpp"

#include <boost/asio/post.hpp>

#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace fleet::http {

namespace {

constexpr std::chrono::seconds renew_after{30};
constexpr std::size_t lookups_at_once = 8;
constexpr std::size_t names_kept = 4096;

using name_key = std::pair<std::string, std::uint16_t>;

std::pair<error_code, resolver_pool::addresses> look_up(const name_key& name) {
  error_code ec;
  asio::io_context context;
  tcp::resolver resolver(context);
  resolver_pool::addresses found;
  for (const auto& entry : resolver.resolve(name.first, std::to_string(name.second), ec)) {
    found.push_back(entry.endpoint());
  }
  return {ec, std::move(found)};
}

}  // namespace

struct resolver_pool::state : std::enable_shared_from_this<state> {
  struct name {
    addresses known;
    steady_clock::time_point since;
    bool asking = false;
    std::vector<std::pair<executor, callback>> waiting;
  };

  explicit state(starter start) : start_thread(std::move(start)) {}

  const starter start_thread;
  std::mutex mutex;
  std::map<name_key, name> names;
  std::deque<name_key> queue;
  std::size_t workers = 0;
  bool closed = false;

  /// With the mutex held. Without a thread of its own the name waits for a worker, if there is one.
  void ask(const name_key& key, name& entry) {
    entry.asking = true;
    queue.push_back(key);
    if (workers == lookups_at_once) {
      return;
    }
    try {
      start_thread([self = shared_from_this()] { self->work(); });
      ++workers;
    } catch (const std::system_error&) {
      if (workers == 0) {
        queue.pop_back();
        answer(entry, asio::error::no_memory, {});
      }
    }
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!closed && !queue.empty()) {
      const auto key = queue.front();
      queue.pop_front();
      lock.unlock();
      auto [ec, found] = look_up(key);
      lock.lock();
      if (!closed) {
        answer(names[key], ec, std::move(found));
      }
    }
    --workers;
  }

  /// With the mutex held: lanes outlive whatever is posted here.
  static void answer(name& entry, error_code ec, addresses found) {
    entry.asking = false;
    entry.since = steady_clock::now();
    for (auto& [where, done] : entry.waiting) {
      asio::post(where, [done = std::move(done), ec, found] { done(ec, found); });
    }
    entry.waiting.clear();
    if (!ec) {
      entry.known = std::move(found);
    }
  }
};

resolver_pool::resolver_pool()
    : resolver_pool([](std::function<void()> work) { std::thread(std::move(work)).detach(); }) {}

resolver_pool::resolver_pool(starter start) : state_(std::make_shared<state>(std::move(start))) {}

resolver_pool::~resolver_pool() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->names.clear();
}

void resolver_pool::resolve(const std::string& host, std::uint16_t port, executor where,
                            callback done) {
  error_code literal;
  const auto address = asio::ip::make_address(host, literal);
  if (!literal) {
    asio::post(where, [done = std::move(done), address, port] {
      done(error_code{}, addresses{{address, port}});
    });
    return;
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->names.size() > names_kept) {
    std::erase_if(state_->names, [](const auto& item) { return !item.second.asking; });
  }
  const name_key key{host, port};
  auto& entry = state_->names[key];
  const bool stale = entry.known.empty() || steady_clock::now() - entry.since > renew_after;
  if (entry.known.empty()) {
    entry.waiting.emplace_back(where, std::move(done));
  } else {
    asio::post(where, [done = std::move(done), known = entry.known] { done(error_code{}, known); });
  }
  if (stale && !entry.asking) {
    state_->ask(key, entry);
  }
}

}  // namespace fleet::http
