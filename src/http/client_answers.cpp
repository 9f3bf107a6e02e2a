// SPDX-License-Identifier: MIT
// What a client's connection does with a request that is here: see client_connection.cpp for how it
// gets here.
#include "admin_reads.hpp"
#include "client_connection.hpp"
#include "dashboard.hpp"
#include "events.hpp"
#include "exchange.hpp"
#include "log_follow.hpp"
#include "metrics_scrape.hpp"
#include "view_json.hpp"

#include <memory>

namespace fleet::http {

namespace {

constexpr const char* allowed_methods = "GET, HEAD, POST, OPTIONS";

std::string options_text(bool keep) {
  return own_answer(204, "", keep, false, {{"Allow", allowed_methods}});
}

}  // namespace

awaitable<bool> client_connection::answer() {
  switch (request_.head.kind) {
    case route_kind::health:
      co_return co_await answer_health();
    case route_kind::options:
      co_return co_await send_own(options_text(may_keep()), may_keep());
    case route_kind::models:
    case route_kind::proxied: {
      // Not in this frame: Asio keeps no frame of more than 1020 bytes for the next coroutine, and
      // gives up one that it kept for each.
      const auto turn = std::make_unique<exchange>(*this, lane_);
      co_return co_await turn->run();
    }
    case route_kind::openapi: {
      const auto reply = answer_openapi(request_.head);
      co_return co_await send_own(admin_text(reply, may_keep()), may_keep());
    }
    case route_kind::page: {
      const bool keep = may_keep();
      const auto text = answer_page(request_.head, request_.request_id, keep);
      co_return co_await send_own(text, keep);
    }
    case route_kind::admin:
      co_return co_await answer_admin_call();
    case route_kind::metrics: {
      const auto reply = co_await answer_metrics(lane_, request_.head);
      if (reply.authenticate) {
        lane_.unauthorized.note(lane_.log, address_);
      }
      co_return co_await send_own(admin_text(reply, may_keep()), may_keep());
    }
    case route_kind::unknown:
      break;
  }
  // Named, not a braced temporary: g++ 12 destroys one twice around co_await.
  const refusal unknown{404, "not_found",
                        "no such path here; there are /v1/..., /health, /metrics, /replicas, "
                        "/slots, /sessions, /events, /snapshot, /version, /dashboard and "
                        "/openapi.json"};
  co_return co_await refuse(unknown);
}

awaitable<bool> client_connection::answer_health() {
  const auto& method = request_.head.method;
  if (method != "GET" && method != "HEAD") {
    const refusal other{405, "method_not_allowed", "/health takes GET"};
    co_return co_await refuse(other);
  }
  const auto view = co_await lane_.fleet->health();
  const bool keep = may_keep();
  co_return co_await send_own(
      own_answer(any_routable(view) ? 200 : 503, health_json(view), keep, method == "HEAD"), keep);
}

awaitable<bool> client_connection::answer_admin_call() {
  asks_admin_ = true;
  auto reply = co_await answer_admin(*lane_.fleet, lane_.settings, lane_.events, request_.head,
                                     request_.body);
  if (reply.authenticate) {
    lane_.unauthorized.note(lane_.log, address_);
  }
  bool keep = false;
  if (reply.events) {
    keep = co_await tell_events(*reply.events);
  } else if (!reply.follow.empty()) {
    drop_body();
    co_await follow_log(*this, lane_, std::move(reply));
  } else {
    const bool may = may_keep();
    keep = co_await send_own(admin_text(reply, may), may);
  }
  asks_admin_ = false;
  co_return keep;
}

awaitable<bool> client_connection::tell_events(event_wish from) {
  drop_body();
  const follower me(lane_.events);
  if (!me.seated()) {
    const refusal many{503, "too_many_followers",
                       "as many clients as the router serves follow its events already"};
    co_return co_await refuse(many);
  }
  co_await follow_events(*this, lane_, from);
  co_return false;
}

awaitable<bool> client_connection::send_own(std::string text, bool keep) {
  const auto ec = co_await write(asio::buffer(text));
  co_return !ec && keep;
}

std::string client_connection::admin_text(const own_reply& reply, bool keep) const {
  const bool text = reply.json.empty();
  return own_answer(reply.status, text ? reply.text : reply.json, keep,
                    request_.head.method == "HEAD",
                    {{"X-Request-Id", request_.request_id},
                     {"Location", reply.location},
                     {"Allow", reply.allow},
                     {"Retry-After", reply.status == 503 ? "1" : ""},
                     {"X-Log-End", reply.log_end ? std::to_string(*reply.log_end) : ""},
                     {"WWW-Authenticate", reply.authenticate ? "Bearer" : ""}},
                    text ? reply.text_type : "application/json");
}

std::string client_connection::refusal_text(const refusal& why, bool keep) const {
  // The one 405 outside the admin API besides that of /health is CONNECT's.
  const auto* allow = why.status != 405                          ? ""
                      : request_.head.kind == route_kind::health ? "GET, HEAD"
                                                                 : allowed_methods;
  const auto session = request_.head.carries_session() ? request_.session : std::string();
  return own_answer(why.status, error_json(why), keep, request_.head.method == "HEAD",
                    {{"X-Session-Id", session},
                     {"X-Request-Id", request_.request_id},
                     {"Retry-After", why.status == 503 ? "1" : ""},
                     {"Allow", allow}});
}

awaitable<bool> client_connection::refuse(const refusal& why) {
  const bool keep = may_keep();
  auto text = refusal_text(why, keep);
  turn_.refused(why.status, why.code, text.size() - text.find("\r\n\r\n") - 4);
  co_return co_await send_own(std::move(text), keep);
}

}  // namespace fleet::http
