// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/all.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fleet::rig {

// The first of `count` neighbouring loopback ports that are free now.
std::uint16_t free_ports(std::size_t count);

// Processes of stub-serving with this port among their arguments; zombies do not count.
std::vector<int> stubs_on(std::uint16_t port);

// Waits until nothing accepts a connection at this loopback port. A process that was killed has no
// words left for `stubs_on` a moment before the system closes its sockets.
bool falls_silent(std::uint16_t port);

// Defunct children of a process.
std::size_t zombies_of(int parent);

// A local host of stub replicas for the fleet file.
struct stub_host {
  std::string name = "n";
  std::size_t devices = 2;
  std::uint16_t port_base = free_ports(2);
  std::vector<std::string> args = {};
  std::string log_dir = {};
  std::string more = {};  // further members, each behind a comma

  std::uint16_t port(std::size_t device) const {
    return static_cast<std::uint16_t>(port_base + device);
  }
  std::string entry() const;
};

// `{"hosts":[...]}`
std::string fleet_of(const stub_host& host);

// Waits until a launched replica is listed and routable.
bool launched_ready(std::uint16_t port, std::string_view name);

// A request to the admin API; the whole answer.
message admin(std::uint16_t port, std::string_view method, std::string_view target,
              std::string_view body = "");

// One host, and the router over it. What it launched is gone when it is.
struct launched_pool {
  explicit launched_pool(stub_host given = {}, std::vector<std::string> flags = {},
                         const std::string& statics = "",
                         std::optional<std::size_t> max_files = {});
  ~launched_pool();
  launched_pool(const launched_pool&) = delete;
  launched_pool& operator=(const launched_pool&) = delete;

  std::uint16_t port() const { return router->port(); }
  bool ready(std::string_view name) const { return launched_ready(port(), name); }
  // Waits until GET /replicas contains this text.
  bool capacity_has(std::string_view text) const;
  std::string log_of(const std::string& slot) const;

  temp_dir dir;
  stub_host host;
  std::optional<router_process> router;
};

}  // namespace fleet::rig
