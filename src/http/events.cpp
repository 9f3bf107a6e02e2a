// SPDX-License-Identifier: MIT
#include "events.hpp"

#include "admin_text.hpp"
#include "event_json.hpp"
#include "open_body.hpp"
#include "view_json.hpp"

#include "fleet/core/header_rules.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace fleet::http {

namespace {

/// How often the ring is looked at: an operator does not see the difference, and nobody who logs a
/// line has to wake a lane for it.
constexpr std::chrono::milliseconds look_pause{200};
/// Events of one message at most, so that a reader far behind costs no more memory than one close.
constexpr std::size_t most_at_once = 32;

/// The value of the last field line of that name; empty: there is none.
std::string_view field_of(const request_head& head, std::string_view name) {
  std::string_view rest = head.fields;
  std::string_view found;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos && same_token(line.substr(0, colon), name)) {
      found = line.substr(colon + 2);
    }
  }
  return found;
}

/// The number in an id of this process; nothing: it is none, or one that was never given.
std::optional<std::uint64_t> number_in_id(const event_ring& ring, std::string_view id) {
  const auto& boot = ring.boot();
  if (id.size() < boot.size() + 2 || !id.starts_with(boot) || id[boot.size()] != '-') {
    return std::nullopt;
  }
  const auto digits = id.substr(boot.size() + 1);
  const char* end = digits.data() + digits.size();
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc{} && stop == end && number <= ring.last() ? std::optional(number)
                                                                      : std::nullopt;
}

std::uint64_t before_oldest(const event_ring& ring) {
  const auto oldest = ring.behind(0, 1).events;
  return oldest.empty() ? 0 : oldest.front()->number - 1;
}

/// What is to be told now, and the next times something is due.
class teller {
 public:
  teller(lane_services& lane, const event_wish& from)
      : lane_(lane), next_(from.after), lost_(from.unknown), samples_(from.samples) {}

  awaitable<std::string> now() {
    std::string text = happened();
    const auto time = steady_clock::now();
    if (samples_ && time >= sample_due_) {
      sample_due_ = time + sample_pause;
      const auto fleet = co_await lane_.fleet->health();
      text += sample_message(fleet, std::chrono::system_clock::now());
    }
    if (time >= ping_due_) {
      ping_due_ = time + ping_pause;
      text += ": ping\n\n";
    }
    co_return text;
  }

  std::string happened() {
    const auto& ring = lane_.events.ring;
    const auto batch = ring.behind(next_, most_at_once);
    std::string text;
    if (std::exchange(lost_, false) || !batch.complete) {
      text += reset_message;
    }
    for (const auto& each : batch.events) {
      text += event_message(ring, *each);
      next_ = each->number;
    }
    more_ = batch.events.size() == most_at_once;
    return text;
  }

  [[nodiscard]] bool more() const { return more_; }

 private:
  lane_services& lane_;
  std::uint64_t next_;
  bool lost_;
  bool more_ = false;
  const bool samples_;
  steady_clock::time_point sample_due_ = steady_clock::now();
  steady_clock::time_point ping_due_ = steady_clock::now() + ping_pause;
};

}  // namespace

own_reply answer_events(const event_source& events, const request_head& head) {
  const auto query = query_of(head.target);
  const auto samples = number_in(query, "samples", 0);
  if (samples.value_or(2) > 1) {
    return refused(400, "bad_request", "samples takes 0 or 1");
  }
  const auto& ring = events.ring;
  auto place = std::string(field_of(head, "Last-Event-ID"));
  if (place.empty()) {
    place = percent_decoded(value_in(query, "after"));
  }
  event_wish wish{.after = ring.last(), .samples = *samples == 1};
  if (place == "0") {
    wish.after = before_oldest(ring);
  } else if (!place.empty()) {
    const auto number = number_in_id(ring, place);
    wish.unknown = !number;
    wish.after = number ? *number : before_oldest(ring);
  }
  own_reply reply;
  if (head.method == "GET") {
    reply.events = wish;
  }
  return reply;
}

awaitable<own_reply> answer_snapshot(fleet_port& fleet, const http_settings& settings,
                                     const event_source& events) {
  // Before the fleet is looked at, so that nothing is missed between the two.
  const auto last = events.ring.last();
  auto recent =
      events.ring.behind(last - std::min<std::uint64_t>(last, snapshot_events), snapshot_events);
  const auto pool = co_await fleet.fleet();
  co_return own_reply{.json = snapshot_json(pool, settings.version, events.ring, last, recent)};
}

awaitable<own_reply> answer_session(fleet_port& fleet, std::string id) {
  const auto session = co_await fleet.session(id);
  if (session.replica.empty()) {
    co_return refused(404, "unknown_session", "no session " + id + " is pinned");
  }
  co_return own_reply{.json = session_json(id, session)};
}

awaitable<void> follow_events(client_connection& client, lane_services& lane, event_wish from) {
  open_body body(client, lane, lane.settings.event_timeout);
  teller next(lane, from);
  bool whole = co_await body.begin("text/event-stream", next.happened());
  while (whole && !lane.fleet_ended) {
    if (!next.more()) {
      const bool there = co_await body.pause(look_pause);
      if (!there) {
        co_return;
      }
    }
    auto text = co_await next.now();
    whole = co_await body.send(std::move(text));
  }
  while (whole && next.more()) {
    whole = co_await body.send(next.happened());
  }
  if (whole) {
    co_await body.send(next.happened());
    co_await body.end();
  }
}

}  // namespace fleet::http
