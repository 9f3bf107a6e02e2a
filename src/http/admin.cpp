// SPDX-License-Identifier: MIT
#include "admin.hpp"

#include "admin_reads.hpp"
#include "admin_text.hpp"
#include "bearer.hpp"
#include "events.hpp"
#include "response_head.hpp"
#include "view_json.hpp"

namespace fleet::http {

own_reply refused(int status, std::string_view code, std::string message) {
  return {.status = status, .json = error_json({status, code, std::move(message)})};
}

own_reply wrong_method(std::string allow) {
  auto reply = refused(405, "method_not_allowed", "this path takes " + allow);
  reply.allow = std::move(allow);
  return reply;
}

own_reply unauthorized() {
  auto reply = refused(401, "unauthorized", "this path needs the admin token as Bearer token");
  reply.authenticate = true;
  return reply;
}

namespace {

own_reply reply_to(const grow_answer& answer) {
  switch (answer.outcome) {
    case grow_outcome::accepted:
      return {.status = 202,
              .json = replica_json(answer.replica),
              .location = "/replicas/" + answer.replica.name};
    case grow_outcome::launch_failed:
      return {.status = 502,
              .json = refused_json("launch_failed", answer.message, answer.capacity)};
    case grow_outcome::unknown_slot:
      return {.status = 404, .json = refused_json("unknown_slot", answer.message, answer.capacity)};
    case grow_outcome::shutting_down:
      return refused(503, "shutting_down", "the router is shutting down");
    case grow_outcome::pool_full:
    case grow_outcome::at_ceiling:
    case grow_outcome::slot_not_free:
      break;
  }
  return {.status = 409,
          .json = refused_json(to_string(answer.outcome), answer.message, answer.capacity)};
}

own_reply reply_to(const std::string& name, const shrink_answer& answer) {
  switch (answer.outcome) {
    case shrink_outcome::stopped:
      return {.status = 200, .json = stopped_json(name, answer)};
    case shrink_outcome::unknown:
      return refused(404, "unknown_replica", "there is no replica " + name);
    case shrink_outcome::not_owned:
      return refused(409, "not_owned", name + " was not launched by this router");
    case shrink_outcome::unconfirmed:
      return {.status = 500, .json = unconfirmed_json(answer)};
    case shrink_outcome::shutting_down:
      break;
  }
  return refused(503, "shutting_down", "the router is shutting down");
}

own_reply reply_to(const std::string& slot, const release_answer& answer) {
  switch (answer.outcome) {
    case release_outcome::released:
      return {.status = 200, .json = released_json(slot, answer.capacity)};
    case release_outcome::unknown:
      return refused(404, "unknown_slot", "there is no slot " + slot);
    case release_outcome::not_unconfirmed:
      return {
          .status = 409,
          .json = refused_json("not_unconfirmed", slot + " is not unconfirmed", answer.capacity)};
    case release_outcome::shutting_down:
      break;
  }
  return refused(503, "shutting_down", "the router is shutting down");
}

/// The slot of a path `/slots/{slot}<rest>`; empty: it is none.
std::string slot_in(std::string_view path, std::string_view rest) {
  static constexpr std::string_view slots = "/slots/";
  if (!path.starts_with(slots) || !path.ends_with(rest) ||
      path.size() <= slots.size() + rest.size()) {
    return {};
  }
  return percent_decoded(path.substr(slots.size(), path.size() - slots.size() - rest.size()));
}

awaitable<own_reply> answer_pool(fleet_port& fleet, const request_head& head,
                                 std::string_view body) {
  if (is_read(head)) {
    const auto pool = co_await fleet.fleet();
    co_return own_reply{.status = 200, .json = pool_json(pool)};
  }
  if (head.method != "POST") {
    co_return wrong_method("GET, HEAD, POST");
  }
  auto slot = slot_asked_for(body);
  if (!slot) {
    co_return refused(400, "bad_request", slot.error());
  }
  const auto answer = co_await fleet.grow(std::move(*slot));
  co_return reply_to(answer);
}

/// What only reads, and what happens to be one path; nothing: another path.
awaitable<std::optional<own_reply>> answer_watcher(fleet_port& fleet, const http_settings& settings,
                                                   const event_source& events,
                                                   const request_head& head) {
  static constexpr std::string_view session = "/sessions/";
  const auto path = path_of(head.target);
  const bool of_session = path.starts_with(session) && path.size() > session.size();
  if (path != "/version" && path != "/slots" && path != "/events" && path != "/snapshot" &&
      !of_session) {
    co_return std::nullopt;
  }
  if (!is_read(head)) {
    co_return wrong_method("GET, HEAD");
  }
  if (of_session) {
    auto id = percent_decoded(path.substr(session.size()));
    co_return co_await answer_session(fleet, std::move(id));
  }
  if (path == "/slots") {
    co_return co_await answer_slots(fleet);
  }
  if (path == "/snapshot") {
    co_return co_await answer_snapshot(fleet, settings, events);
  }
  co_return path == "/events" ? answer_events(events, head) : answer_version(settings);
}

}  // namespace

bool authorised(const request_head& head, const http_settings& settings) {
  return settings.admin_token.empty() || bears(head.authorization, settings.admin_token);
}

awaitable<own_reply> answer_admin(fleet_port& fleet, const http_settings& settings,
                                  const event_source& events, const request_head& head,
                                  std::string_view body) {
  if (!authorised(head, settings)) {
    co_return unauthorized();
  }
  static constexpr std::string_view replica = "/replicas/";
  const auto path = path_of(head.target);
  if (path == "/replicas") {
    co_return co_await answer_pool(fleet, head, body);
  }
  if (path.starts_with(replica) && path.size() > replica.size()) {
    const auto name = percent_decoded(path.substr(replica.size()));
    if (is_read(head)) {
      co_return co_await answer_replica(fleet, name);
    }
    if (head.method != "DELETE") {
      co_return wrong_method("GET, HEAD, DELETE");
    }
    const auto answer = co_await fleet.shrink(name);
    co_return reply_to(name, answer);
  }
  auto reply = co_await answer_watcher(fleet, settings, events, head);
  if (reply) {
    co_return std::move(*reply);
  }
  if (const auto slot = slot_in(path, "/log"); !slot.empty()) {
    if (!is_read(head)) {
      co_return wrong_method("GET, HEAD");
    }
    co_return co_await answer_log(fleet, slot, head);
  }
  if (const auto slot = slot_in(path, "/release"); !slot.empty()) {
    if (head.method != "POST") {
      co_return wrong_method("POST");
    }
    const auto answer = co_await fleet.release(slot);
    co_return reply_to(slot, answer);
  }
  co_return refused(404, "not_found", "no such admin path");
}

}  // namespace fleet::http
