// SPDX-License-Identifier: MIT
#include "admin_reads.hpp"

#include "admin_text.hpp"
#include "view_json.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace fleet::http {

namespace {

constexpr std::uint64_t most_log_lines = 1'000'000;
constexpr std::uint64_t log_lines = 100;
constexpr std::uint64_t line_bytes = 2048;

/// An unfinished last line counts.
std::string_view last_lines(std::string_view text, std::uint64_t count) {
  auto at = text.ends_with('\n') ? text.size() - 1 : text.size();
  for (; count > 0 && at != std::string_view::npos; --count) {
    at = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  }
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

std::string_view last_filled_line(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return text.substr(text.find_last_of("\r\n") + 1);
}

own_reply shutting_down() {
  return refused(503, "shutting_down", "the router is shutting down");
}

}  // namespace

bool is_read(const request_head& head) {
  return head.method == "GET" || head.method == "HEAD";
}

awaitable<own_reply> answer_replica(fleet_port& fleet, std::string name) {
  const auto pool = co_await fleet.fleet();
  const auto found = std::find_if(pool.replicas.begin(), pool.replicas.end(),
                                  [&](const replica_view& each) { return each.name == name; });
  if (found == pool.replicas.end()) {
    co_return refused(404, "unknown_replica", "there is no replica " + name);
  }
  const auto slot = std::find_if(pool.slots.begin(), pool.slots.end(), [&](const slot_view& each) {
    return found->owned && each.slot.name == found->place.slot && each.now == slot_stage::loading;
  });
  if (slot == pool.slots.end()) {
    co_return own_reply{.json = one_replica_json(*found, nullptr, {})};
  }
  log_query wanted{.slot = slot->slot.name, .bytes = line_bytes, .this_launch = true};
  const auto log = co_await fleet.read_log(std::move(wanted));
  co_return own_reply{.json = one_replica_json(*found, &*slot, last_filled_line(log.text))};
}

awaitable<own_reply> answer_slots(fleet_port& fleet) {
  const auto pool = co_await fleet.fleet();
  co_return own_reply{.json = slots_json(pool)};
}

awaitable<own_reply> answer_log(fleet_port& fleet, std::string slot, const request_head& head) {
  const auto query = query_of(head.target);
  const auto tail = number_in(query, "tail", log_lines);
  const auto after = number_in(query, "after", 0);
  const auto follow = number_in(query, "follow", 0);
  if (!tail || !after || *tail == 0 || *tail > most_log_lines || follow.value_or(2) > 1) {
    co_return refused(400, "bad_request",
                      "tail takes 1 to 1000000 lines, after takes an offset, follow takes 0 or 1");
  }
  const bool whole = query.find("after=") != std::string_view::npos;
  log_query wanted{.slot = slot, .begin = *after, .bytes = most_log_bytes};
  auto log = co_await fleet.read_log(std::move(wanted));
  switch (log.outcome) {
    case log_outcome::unknown:
      co_return refused(404, "unknown_slot", "there is no slot " + slot);
    case log_outcome::failed:
      co_return refused(502, "log_unreadable", "the log of " + slot + ": " + log.message);
    case log_outcome::shutting_down:
      co_return shutting_down();
    case log_outcome::read:
      break;
  }
  auto text = whole ? std::move(log.text) : std::string(last_lines(log.text, *tail));
  co_return own_reply{.text = std::move(text),
                      .log_end = log.end,
                      .follow = *follow == 1 && head.method == "GET" ? std::move(slot) : ""};
}

own_reply answer_version(const http_settings& settings) {
  return {.json = boost::json::serialize(boost::json::object{{"name", "pypto-serving-router"},
                                                             {"version", settings.version}})};
}

own_reply answer_openapi(const request_head& head) {
  return is_read(head) ? own_reply{.json = std::string(openapi_document)}
                       : wrong_method("GET, HEAD");
}

}  // namespace fleet::http
