// SPDX-License-Identifier: MIT
#include "event_json.hpp"

#include "fleet/core/timestamp.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>

namespace fleet::http {

namespace {

boost::json::string_view plain(std::string_view text) {
  return {text.data(), text.size()};
}

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::string event_id(const event_ring& ring, std::uint64_t number) {
  return ring.boot() + "-" + std::to_string(number);
}

boost::json::object event_object(const event& happened) {
  boost::json::object out{{"at", to_timestamp(happened.at)}, {"event", happened.name}};
  for (const auto& [key, value] : happened.fields) {
    out[plain(key)] = value;
  }
  return out;
}

std::string event_message(const event_ring& ring, const event& happened) {
  return "id: " + event_id(ring, happened.number) + "\nevent: " + happened.name +
         "\ndata: " + boost::json::serialize(event_object(happened)) + "\n\n";
}

std::string sample_message(const fleet_view& fleet, wall_time now) {
  boost::json::array replicas;
  for (const auto& each : fleet.replicas) {
    replicas.push_back(
        boost::json::object{{"name", each.name},
                            {"outstanding", each.outstanding},
                            {"routed", each.routed},
                            {"answers", each.answers},
                            {"first_byte_ms_sum", milliseconds(each.first_byte_sum)}});
  }
  return "event: sample\ndata: " +
         boost::json::serialize(boost::json::object{{"at", to_timestamp(now)},
                                                    {"routed", fleet.routed},
                                                    {"affinity_hits", fleet.affinity_hits},
                                                    {"rejected", fleet.rejected},
                                                    {"sessions", fleet.sessions},
                                                    {"replicas", std::move(replicas)}}) +
         "\n\n";
}

std::string session_json(std::string_view id, const session_view& session) {
  const auto& pin = session.pin;
  boost::json::object out{{"session", plain(id)},       {"replica", session.replica},
                          {"age_s", pin.age.count()},   {"turns", pin.turns},
                          {"in_flight", pin.in_flight}, {"last", to_string(pin.last)},
                          {"last_move", nullptr}};
  if (pin.moved != affinity::none) {
    out["last_move"] = boost::json::object{
        {"from", session.from}, {"why", to_string(pin.moved)}, {"age_s", pin.moved_age.count()}};
  }
  return boost::json::serialize(out);
}

}  // namespace fleet::http
