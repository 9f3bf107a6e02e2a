// SPDX-License-Identifier: MIT
#include "health_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace fleet::http {

namespace {

std::string utc(std::chrono::nanoseconds ago) {
  const auto when = std::chrono::system_clock::now() -
                    std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

boost::json::object replica_json(const replica_view& replica) {
  boost::json::object out{{"name", replica.name},
                          {"url", replica.url},
                          {"ready", replica.ready},
                          {"phase", to_string(replica.now)},
                          {"owned", replica.owned},
                          {"draining", replica.draining},
                          {"outstanding", replica.outstanding},
                          {"routed", replica.routed}};
  if (!replica.reason.empty()) {
    out["reason"] = replica.reason;
    out["since"] = utc(replica.since);
  }
  return out;
}

}  // namespace

bool any_routable(const fleet_view& fleet) {
  return std::any_of(fleet.replicas.begin(), fleet.replicas.end(),
                     [](const replica_view& r) { return r.ready && !r.draining; });
}

std::string health_json(const fleet_view& fleet) {
  const auto count = [&](auto predicate) {
    return std::count_if(fleet.replicas.begin(), fleet.replicas.end(), predicate);
  };
  boost::json::array replicas;
  for (const auto& replica : fleet.replicas) {
    replicas.push_back(replica_json(replica));
  }
  return boost::json::serialize(boost::json::object{
      {"status", any_routable(fleet) ? "ok" : "no_replicas"},
      {"replicas_ready", count([](const replica_view& r) { return r.ready && !r.draining; })},
      {"replicas_total", fleet.replicas.size()},
      {"replicas_failed", count([](const replica_view& r) { return r.now == phase::failed; })},
      {"sessions", fleet.sessions},
      {"routed", fleet.routed},
      {"affinity_hits", fleet.affinity_hits},
      {"rejected", fleet.rejected},
      {"replicas", std::move(replicas)}});
}

}  // namespace fleet::http
