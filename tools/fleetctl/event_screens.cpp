// SPDX-License-Identifier: MIT
#include "screens.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace fleet::ctl {

namespace {

template <std::size_t N>
bool any_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

paint paint_of_event(const fleet_event& event) {
  static constexpr std::array<std::string_view, 9> bad{
      "actor_died",          "launch_failed",      "record_failed",
      "replica_exited",      "replica_lost",       "slot_abandoned",
      "replica_unreachable", "replica_unroutable", "stop_unconfirmed"};
  static constexpr std::array<std::string_view, 3> good{"listening", "replica_adopted",
                                                        "replica_launched"};
  for (const auto& [key, value] : event.fields) {
    if (event.name == "replica_phase" && key == "phase") {
      return paint_of(value);
    }
  }
  return any_of(bad, event.name)    ? paint::bad
         : any_of(good, event.name) ? paint::good
                                    : paint::busy;
}

std::string how_routed(const std::string& last) {
  if (last == "hit") {
    return "to its pin";
  }
  if (last == "fresh") {
    return "to the least loaded, as it had no pin";
  }
  if (last == "expired") {
    return "to the least loaded, as its pin had expired";
  }
  if (last == "moved_load") {
    return "to the least loaded, as its pin carried more than --affinity-slack above that";
  }
  if (last == "moved_gone") {
    return "to the least loaded, as its pin took no turns";
  }
  return last;
}

std::string why_moved(const std::string& why) {
  return why == "moved_load"   ? ", which carried more than --affinity-slack above the least loaded"
         : why == "moved_gone" ? ", which took no turns"
                               : ": " + why;
}

}  // namespace

line event_line(const fleet_event& event) {
  line out{{event.at + " ", paint::dim}, {event.name, paint_of_event(event)}};
  for (const auto& [key, value] : event.fields) {
    const bool bare = !value.empty() && value.find_first_of(" \t\r\n\"") == std::string::npos;
    out.push_back({" " + key + "=", paint::dim});
    out.push_back({bare ? value : "\"" + value + "\""});
  }
  return out;
}

lines session_lines(const conversation& of) {
  lines out{{{"session    " + of.id}},
            {{"replica    " + of.replica}},
            {{"age        " + span_text(of.age)}},
            {{"turns      " + std::to_string(of.turns) +
              (of.in_flight > 0 ? ", " + std::to_string(of.in_flight) + " in flight" : "")}},
            {{"last turn  " + how_routed(of.last)}}};
  if (of.moved) {
    out.push_back({{"moved      " + span_text(of.moved_age) + " ago, from " +
                    (of.from.empty() ? "a replica that has left" : of.from) + why_moved(of.why)}});
  }
  return out;
}

}  // namespace fleet::ctl
