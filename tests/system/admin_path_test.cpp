// SPDX-License-Identifier: MIT
#include "system/support/all.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

const std::vector<std::string> spellings{
    "//replicas",         "/replicas/",          "/replicas?x=1",
    "/replicas#a",        "/%72eplicas",         "/./replicas",
    "/v1/../replicas",    "/REPLICAS",           "/replicas;a",
    "/replicas%2f",       "/x/../replicas",      "/replicas/u",
    "/replicas/u/",       "//replicas/u",        "/%72eplicas/u",
    "/v1/../replicas/u",  "/slots/a/release",    "http://h/replicas",
    "http://h//replicas", "http://h/replicas/u", "/snapshot",
    "//snapshot",         "/%73napshot",         "/snapshot?x",
    "/sessions/s",        "/events?after=0",     "//events"};

}  // namespace

TEST_CASE("D24 no spelling of an admin path is served without the token") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--admin-token", "T"}};
  for (const auto& target : spellings)
    for (const std::string method : {"GET", "POST", "DELETE", "HEAD"}) {
      CAPTURE(target);
      CAPTURE(method);
      const auto answer = exchange_once(r.port(), request(method, target, ""), method);
      if (answer.has("X-Replica")) {
        // Proxied: then unchanged, and no path of the router's own.
        CHECK(target.starts_with("/v1/"));
        CHECK(u.last_request().target() == target);
        continue;
      }
      CAPTURE(answer.status());
      CHECK((answer.status() == 401 || answer.status() == 404 || answer.status() == 405 ||
             answer.status() == 400));
      CHECK(answer.body.find("\"replicas\"") == std::string::npos);
    }
  CHECK(health(r.port()).replicas_total == 1);
  CHECK(health(r.port()).at("u").ready);
}

TEST_CASE("/health and /v1/ never ask for the admin token") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--admin-token", "T"}};
  CHECK(get(r.port(), "/health").status() == 200);
  CHECK(get(r.port(), "/v1/models").status() == 200);
  CHECK(exchange_once(r.port(), chat("{}", "Authorization: Bearer sk-1\r\n")).status() == 200);
  CHECK(u.last_request().get("Authorization") == "Bearer sk-1");
}

TEST_CASE("D46 the scheme of a token comes in any case, the token exactly, on every admin route") {
  scripted_replica u;
  ready_router r{fleet_of({u}), {"--admin-token", "T"}};
  const std::pair<std::string, std::string> routes[] = {
      {"GET", "/replicas"},   {"POST", "/replicas"},        {"DELETE", "/replicas/u"},
      {"GET", "/slots"},      {"POST", "/slots/a/release"}, {"GET", "/version"},
      {"GET", "/sessions/a"}, {"GET", "/snapshot"},         {"GET", "/metrics"}};
  const auto status = [&](const auto& route, const std::string& fields) {
    return exchange_once(r.port(), request(route.first, route.second, "", fields), route.first)
        .status();
  };
  for (const auto& route : routes) {
    CAPTURE(route.first + " " + route.second);
    for (const std::string good :
         {"authorization: bearer T", "Authorization: BEARER   T", "AUTHORIZATION: Bearer T"})
      CHECK(status(route, good + "\r\n") != 401);
    for (const std::string bad : {"Bearer t", "Bearer T2", "Bearer ", "Bearer", "Basic T", "T",
                                  "Bearer T T", "Bearer \"T\"", "Bearer T,"})
      CHECK(status(route, "Authorization: " + bad + "\r\n") == 401);
    CHECK(status(route, "Authorization: Bearer T\r\nAuthorization: Bearer T\r\n") == 401);
    CHECK(status(route, "X-Authorization: Bearer T\r\n") == 401);
    CHECK(status(route, "Proxy-Authorization: Bearer T\r\n") == 401);
    CHECK(status(route, "") == 401);
  }
  // With the token its answer has no end.
  const std::pair<std::string, std::string> events{"GET", "/events"};
  CHECK(status(events, "") == 401);
  CHECK(status(events, "Authorization: Bearer t\r\n") == 401);
  CHECK(health(r.port()).replicas_total == 1);
}
