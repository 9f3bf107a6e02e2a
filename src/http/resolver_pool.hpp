// SPDX-License-Identifier: MIT
#pragma once

#include "net.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fleet::http {

/// Name resolution away from the lanes. Asio gives each io_context one resolver thread, so that one
/// name server that does not answer would hold up every other name; here a name is asked for once
/// at a time, several names side by side, and the last good answer serves while a newer one is
/// fetched. All members may be called from any thread.
class resolver_pool {
 public:
  using addresses = std::vector<tcp::endpoint>;
  using callback = std::function<void(error_code, addresses)>;

  /// Runs a lookup on a thread that nobody waits for; throws std::system_error when the system
  /// gives none.
  using starter = std::function<void(std::function<void()>)>;

  resolver_pool();
  explicit resolver_pool(starter start);
  resolver_pool(const resolver_pool&) = delete;
  resolver_pool& operator=(const resolver_pool&) = delete;
  /// Does not wait for a name server: a lookup under way ends unheard. Nothing is posted
  /// afterwards.
  ~resolver_pool();

  /// Posts the addresses of host:port, or the error, to `where`. Literal addresses and known names
  /// are answered at once; a name's answer older than 30 s is renewed behind the scenes.
  /// `no_memory` when there is no thread to ask on.
  void resolve(const std::string& host, std::uint16_t port, executor where, callback done);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace fleet::http
