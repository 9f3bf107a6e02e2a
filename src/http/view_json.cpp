// SPDX-License-Identifier: MIT
#include "view_json.hpp"

#include "event_json.hpp"
#include "response_head.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <unordered_map>

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

/// What anybody may see: contract section 5.
boost::json::object public_object(const replica_view& replica) {
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

/// What an operator sees: contract section 6.
boost::json::object replica_object(const replica_view& replica) {
  auto out = public_object(replica);
  if (replica.owned) {
    out["slot"] = replica.place.slot;
    out["devices"] = boost::json::value_from(replica.place.devices);
    out["host"] = replica.place.host;
    out["log"] = replica.place.log;
  }
  return out;
}

/// Seconds, for times to come.
double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

void add_detail(boost::json::object& entry, const std::string& detail) {
  if (!detail.empty()) {
    entry["detail"] = detail;
  }
}

boost::json::object capacity_object(const capacity_view& capacity) {
  boost::json::array unconfirmed;
  for (const auto& slot : capacity.unconfirmed) {
    boost::json::object entry{
        {"slot", slot.slot}, {"reason", slot.reason}, {"since", utc(slot.since)}};
    add_detail(entry, slot.detail);
    unconfirmed.push_back(std::move(entry));
  }
  boost::json::array abandoned;
  for (const auto& slot : capacity.abandoned) {
    boost::json::object entry{
        {"slot", slot.slot}, {"losses", slot.losses}, {"since", utc(slot.since)}};
    add_detail(entry, slot.detail);
    abandoned.push_back(std::move(entry));
  }
  boost::json::array replacing;
  for (const auto& slot : capacity.replacing) {
    boost::json::object entry{
        {"slot", slot.slot}, {"attempt", slot.attempt}, {"retry_in", seconds(slot.retry_in)}};
    add_detail(entry, slot.detail);
    replacing.push_back(std::move(entry));
  }
  boost::json::array failed;
  for (const auto& launch : capacity.failed_launches) {
    failed.push_back(boost::json::object{
        {"slot", launch.slot}, {"reason", launch.reason}, {"since", utc(launch.since)}});
  }
  return {{"owned", capacity.owned},
          {"ceiling", capacity.ceiling},
          {"free_slots", boost::json::value_from(capacity.free_slots)},
          {"unconfirmed", std::move(unconfirmed)},
          {"abandoned", std::move(abandoned)},
          {"replacing", std::move(replacing)},
          {"failed_launches", std::move(failed)}};
}

boost::json::array replicas_of(const pool_view& pool) {
  boost::json::array replicas;
  for (const auto& replica : pool.replicas) {
    replicas.push_back(replica_object(replica));
  }
  return replicas;
}

boost::json::array slots_of(const pool_view& pool) {
  std::unordered_map<std::string_view, const replica_view*> by_slot;
  for (const auto& replica : pool.replicas) {
    if (replica.owned) {
      by_slot[replica.place.slot] = &replica;
    }
  }
  boost::json::array slots;
  for (const auto& each : pool.slots) {
    const auto& name = each.slot.name;
    boost::json::object out{{"name", name},
                            {"host", each.host},
                            {"devices", boost::json::value_from(each.slot.devices)},
                            {"address", each.slot.address},
                            {"port", each.slot.port},
                            {"log", each.log},
                            {"stage", to_string(each.now)},
                            {"reason", each.reason},
                            {"detail", each.detail}};
    if (each.now != slot_stage::free) {
      out["since"] = utc(each.since);
    }
    if (each.now == slot_stage::draining) {
      out["drain_left"] = seconds(each.drain_left);
    }
    if (const auto running = by_slot.find(name); running != by_slot.end()) {
      out["replica"] = replica_object(*running->second);
    }
    slots.push_back(std::move(out));
  }
  return slots;
}

boost::json::string_view plain(std::string_view text) {
  return {text.data(), text.size()};
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
    replicas.push_back(public_object(replica));
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

std::string pool_json(const pool_view& pool) {
  return boost::json::serialize(boost::json::object{{"replicas", replicas_of(pool)},
                                                    {"capacity", capacity_object(pool.capacity)}});
}

std::string slots_json(const pool_view& pool) {
  return boost::json::serialize(
      boost::json::object{{"slots", slots_of(pool)}, {"capacity", capacity_object(pool.capacity)}});
}

std::string snapshot_json(const pool_view& pool, std::string_view version, const event_ring& ring,
                          std::uint64_t last, const event_batch& recent) {
  boost::json::array events;
  for (const auto& each : recent.events) {
    if (each->number <= last) {
      auto out = event_object(*each);
      out["id"] = event_id(ring, each->number);
      events.push_back(std::move(out));
    }
  }
  const auto& totals = pool.totals;
  return boost::json::serialize(
      boost::json::object{{"version", plain(version)},
                          {"boot", ring.boot()},
                          {"last_event", event_id(ring, last)},
                          {"replicas", replicas_of(pool)},
                          {"slots", slots_of(pool)},
                          {"capacity", capacity_object(pool.capacity)},
                          {"totals", boost::json::object{{"routed", totals.routed},
                                                         {"affinity_hits", totals.affinity_hits},
                                                         {"rejected", totals.rejected},
                                                         {"sessions", totals.sessions}}},
                          {"events", std::move(events)}});
}

std::string one_replica_json(const replica_view& replica, const slot_view* at,
                             std::string_view log_line) {
  auto out = replica_object(replica);
  if (at != nullptr) {
    out["launch"] = boost::json::object{{"stage", to_string(at->now)},
                                        {"seconds", seconds(at->since)},
                                        {"log_line", plain(log_line)}};
  }
  return boost::json::serialize(out);
}

std::string replica_json(const replica_view& replica) {
  return boost::json::serialize(replica_object(replica));
}

std::string stopped_json(std::string_view name, const shrink_answer& answer) {
  return boost::json::serialize(boost::json::object{
      {"name", plain(name)}, {"stopped", true}, {"capacity", capacity_object(answer.capacity)}});
}

std::string unconfirmed_json(const shrink_answer& answer) {
  auto out = error_object("stop_unconfirmed", answer.message);
  out["code"] = "stop_unconfirmed";
  out["slot"] = answer.slot;
  out["reason"] = answer.reason;
  out["capacity"] = capacity_object(answer.capacity);
  return boost::json::serialize(out);
}

std::string released_json(std::string_view slot, const capacity_view& capacity) {
  return boost::json::serialize(boost::json::object{
      {"slot", plain(slot)}, {"released", true}, {"capacity", capacity_object(capacity)}});
}

std::string refused_json(std::string_view code, std::string_view message,
                         const capacity_view& capacity) {
  auto out = error_object(code, message);
  out["capacity"] = capacity_object(capacity);
  return boost::json::serialize(out);
}

}  // namespace fleet::http
