// SPDX-License-Identifier: MIT
#include "system/support/fleet_view.hpp"

#include "system/support/raw_client.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace fleet::rig {

namespace json = boost::json;

namespace {

template <class T>
void read(const json::object& from, std::string_view key, T& into) {
  const auto* const value = from.if_contains({key.data(), key.size()});
  if (value == nullptr)
    throw std::runtime_error{"no field " + std::string{key}};
  try {
    into = json::value_to<T>(*value);
  } catch (const std::exception&) {
    throw std::runtime_error{"wrong type of " + std::string{key} + ": " + json::serialize(*value)};
  }
}

json::object parse(std::string_view text) {
  json::error_code error;
  auto value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object())
    throw std::runtime_error{"no JSON object: " + std::string{text}};
  return std::move(value.as_object());
}

const json::object& object_at(const json::object& from, std::string_view key) {
  const auto* const value = from.if_contains({key.data(), key.size()});
  if (value == nullptr || !value->is_object())
    throw std::runtime_error{"no object " + std::string{key}};
  return value->as_object();
}

replica_view replica_from(const json::object& from) {
  replica_view out;
  read(from, "name", out.name);
  read(from, "url", out.url);
  read(from, "phase", out.phase);
  read(from, "ready", out.ready);
  read(from, "owned", out.owned);
  read(from, "draining", out.draining);
  read(from, "outstanding", out.outstanding);
  read(from, "routed", out.routed);
  return out;
}

}  // namespace

const replica_view& health_view::at(std::string_view name) const {
  const auto found = std::find_if(replicas.begin(), replicas.end(),
                                  [name](const replica_view& each) { return each.name == name; });
  if (found == replicas.end())
    throw std::runtime_error{"no replica " + std::string{name}};
  return *found;
}

health_view health(std::uint16_t port) {
  const auto answer = get(port, "/health");
  const auto body = parse(answer.body);
  health_view out;
  out.http_status = answer.status();
  read(body, "status", out.status);
  read(body, "replicas_ready", out.replicas_ready);
  read(body, "replicas_total", out.replicas_total);
  read(body, "replicas_failed", out.replicas_failed);
  read(body, "sessions", out.sessions);
  read(body, "routed", out.routed);
  read(body, "affinity_hits", out.affinity_hits);
  read(body, "rejected", out.rejected);
  json::array replicas;
  read(body, "replicas", replicas);
  for (const auto& each : replicas)
    out.replicas.push_back(replica_from(each.as_object()));
  return out;
}

std::int64_t outstanding(std::uint16_t port, std::string_view name) {
  return health(port).at(name).outstanding;
}

bool becomes_ready(std::uint16_t port, std::string_view name, bool ready) {
  return eventually([&] { return health(port).at(name).ready == ready; });
}

bool becomes_idle(std::uint16_t port) {
  return eventually([port] {
    const auto now = health(port);
    return std::all_of(now.replicas.begin(), now.replicas.end(),
                       [](const replica_view& each) { return each.outstanding == 0; });
  });
}

error_view router_error(std::string_view body) {
  const auto whole = parse(body);
  error_view out;
  read(whole, "object", out.object);
  read(whole, "message", out.message);
  const auto& inner = object_at(whole, "error");
  read(inner, "message", out.error_message);
  read(inner, "type", out.type);
  read(inner, "code", out.code);
  return out;
}

}  // namespace fleet::rig
