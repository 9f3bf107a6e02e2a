// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::rig {

// The one place of these tests that reads JSON. A field that is missing or of another type throws
// std::runtime_error naming it, so a test fails by the field's name.

struct replica_view {
  std::string name;
  std::string url;
  std::string phase;
  bool ready = false;
  bool owned = false;
  bool draining = false;
  std::int64_t outstanding = 0;
  std::int64_t routed = 0;
};

// The router's own GET /health.
struct health_view {
  int http_status = 0;
  std::string status;
  std::int64_t replicas_ready = 0;
  std::int64_t replicas_total = 0;
  std::int64_t replicas_failed = 0;
  std::int64_t sessions = 0;
  std::int64_t routed = 0;
  std::int64_t affinity_hits = 0;
  std::int64_t rejected = 0;
  std::vector<replica_view> replicas;

  // The one of this name; throws when it is not listed.
  const replica_view& at(std::string_view name) const;
};

health_view health(std::uint16_t port);
// Outstanding requests of one replica as /health tells them now.
std::int64_t outstanding(std::uint16_t port, std::string_view name);
// Waits until one replica is routable, or is not.
bool becomes_ready(std::uint16_t port, std::string_view name, bool ready = true);
// Waits until nothing is outstanding anywhere.
bool becomes_idle(std::uint16_t port);

// A router error body.
struct error_view {
  std::string object;
  std::string message;
  std::string error_message;
  std::string type;
  std::string code;
};

error_view router_error(std::string_view body);

}  // namespace fleet::rig
