// SPDX-License-Identifier: MIT
#include "flags.hpp"

#include "admin_token.hpp"

#include "fleet/core/host_name.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace fleet {

namespace {

using storing = std::function<std::string(settings&, std::string_view)>;

// Plain decimal digits only: std::from_chars takes no blanks, no '+' and no hexadecimal here.
template <class T, class... Format>
bool parse_number(std::string_view text, T& number, Format... format) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number, format...);
  return error == std::errc{} && stopped == end;
}

/// A whole number; `place` gives the member that takes it.
template <class Place>
storing whole(std::uint64_t lowest, std::uint64_t highest, Place place) {
  return [=](settings& to, std::string_view text) -> std::string {
    std::uint64_t number = 0;
    if (!parse_number(text, number) || number < lowest || number > highest) {
      return "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
    }
    using member = std::decay_t<decltype(place(to))>;
    place(to) = static_cast<member>(number);
    return {};
  };
}

enum class least { zero, millisecond, ten_milliseconds };

/// A duration of up to 1e9 seconds, some 31 years: room enough to be added to any clock's now.
template <class Place>
storing seconds(least lowest, Place place) {
  return [=](settings& to, std::string_view text) -> std::string {
    constexpr double highest = 1e9;
    const double bound = lowest == least::zero ? 0 : lowest == least::millisecond ? 0.001 : 0.01;
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!parse_number(text, number, std::chars_format::fixed) || !std::isfinite(number) ||
        number < bound || number > highest) {
      return std::string("seconds from ") +
             (lowest == least::zero          ? "0"
              : lowest == least::millisecond ? "0.001"
                                             : "0.01") +
             " to 1000000000, fractions allowed";
    }
    place(to) = std::chrono::nanoseconds(std::llround(number * 1e9));
    return {};
  };
}

template <class Place>
storing text(std::string wanted, Place place) {
  return [=](settings& to, std::string_view value) -> std::string {
    if (value.empty()) {
      return wanted;
    }
    place(to) = value;
    return {};
  };
}

std::string store_host(settings& to, std::string_view value) {
  const auto bare = without_brackets(value);
  if (!is_ip_address(bare)) {
    return "an IPv4 or IPv6 address";
  }
  to.host = bare;
  return {};
}

std::string store_token(settings& to, std::string_view value) {
  if (const auto wanted = wrong_token(value); !wanted.empty()) {
    return wanted;
  }
  to.admin_token = value;
  return {};
}

std::string store_level(settings& to, std::string_view value) {
  constexpr std::pair<std::string_view, log_level> levels[] = {{"debug", log_level::debug},
                                                               {"info", log_level::info},
                                                               {"warn", log_level::warn},
                                                               {"error", log_level::error}};
  for (const auto& [name, level] : levels) {
    if (value == name) {
      to.level = level;
      return {};
    }
  }
  return "debug, info, warn or error";
}

std::string store_format(settings& to, std::string_view value) {
  if (value != "text" && value != "json") {
    return "text or json";
  }
  to.format = value == "json" ? log_format::json : log_format::text;
  return {};
}

std::string nothing(settings&, std::string_view) {
  return {};
}

constexpr std::uint64_t many = 1'000'000'000;

std::vector<flag> serving_flags() {
  return {
      {"replicas", "FILE", "required", "the fleet file: replicas and hosts",
       text(
           "the path of a fleet file", [](settings & s) -> auto& { return s.fleet_file; })},
      {"host", "ADDR", "0.0.0.0", "address to bind, IPv4 or IPv6", store_host},
      {"port", "N", "8000", "port to bind; 0 picks a free one and logs it",
       whole(
           0, 65535, [](settings & s) -> auto& { return s.port; })},
      {"threads", "N", "CPU count", "threads that serve traffic and run actors",
       whole(
           1, 1024, [](settings & s) -> auto& { return s.threads; })},
      {"request-timeout", "S", "3600", "seconds one proxied exchange may take",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.request_timeout; })},
      {"connect-timeout", "S", "5", "seconds to connect to a replica, and for one health probe",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.routing.connect_timeout; })},
      {"max-body", "BYTES", "67108864", "longest request body; above it the answer is 413",
       whole(
           1, std::uint64_t{1} << 50, [](settings & s) -> auto& { return s.max_body; })},
      {"max-bodies", "BYTES", "4294967296",
       "request bodies held at once, all together; above it the answer is 503",
       whole(
           1, std::uint64_t{1} << 50, [](settings & s) -> auto& { return s.max_bodies; })},
      {"max-clients", "N", "half the descriptors", "client connections at once; more have to wait",
       whole(
           1, many, [](settings & s) -> auto& { return s.max_clients; })},
      {"header-timeout", "S", "30", "seconds a request's head may take; above it the answer is 408",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.header_timeout; })},
      {"client-timeout", "S", "60",
       "seconds a client may stand still, in its request's body or in taking its answer",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.client_timeout; })},
      {"idle-timeout", "S", "75", "seconds a client's connection is kept between two requests",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.idle_timeout; })},
      {"session-ttl", "S", "600", "seconds of inactivity before a conversation loses its pin",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.routing.session_ttl; })},
      {"max-sessions", "N", "100000", "pins kept; the least recently used goes first",
       whole(
           1, many, [](settings & s) -> auto& { return s.routing.max_sessions; })},
      {"affinity-slack", "N", "8",
       "outstanding requests a pinned replica may carry over the least loaded; 0 disables affinity",
       whole(
           0, many, [](settings & s) -> auto& { return s.routing.affinity_slack; })},
      {"health-interval", "S", "5", "seconds between probes of one replica",
       seconds(
           least::ten_milliseconds,
           [](settings & s) -> auto& { return s.routing.health_interval; })},
  };
}

std::vector<flag> fleet_flags() {
  return {
      {"initial-replicas", "N", "1 with hosts, else 0", "replicas launched at startup",
       whole(
           0, many, [](settings & s) -> auto& { return s.initial_replicas; })},
      {"max-replicas", "N", "declared pool", "ceiling of launched replicas below the declared pool",
       whole(
           0, many, [](settings & s) -> auto& { return s.max_replicas; })},
      {"launch-timeout", "S", "600", "seconds from launch to ready, else stopped",
       seconds(
           least::millisecond, [](settings & s) -> auto& { return s.launch_timeout; })},
      {"drain-timeout", "S", "300", "seconds to wait for in-flight requests before a stop",
       seconds(
           least::zero, [](settings & s) -> auto& { return s.drain_timeout; })},
      {"stop-grace", "S", "30", "seconds a stopped replica's address may take to go silent",
       seconds(
           least::zero, [](settings & s) -> auto& { return s.stop_grace; })},
      {"replace-after", "S", "30",
       "seconds unroutable that mean dead; never less than two health intervals",
       seconds(
           least::zero, [](settings & s) -> auto& { return s.replace_after; })},
      {"stable-after", "S", "300", "seconds of readiness that clear a slot's loss count",
       seconds(
           least::zero, [](settings & s) -> auto& { return s.stable_after; })},
      {"state-file", "FILE", "none", "record of what was launched, so that a restart can adopt it",
       text(
           "a path", [](settings & s) -> auto& { return s.state_file; })},
  };
}

std::vector<flag> other_flags() {
  return {
      {"admin-token", "TOKEN", "none", "bearer token for /replicas and /slots (shows in ps)",
       store_token, true},
      {"admin-token-file", "FILE", "none",
       "the same from a file; --admin-token goes first, the variable "
       "PYPTO_ROUTER_ADMIN_TOKEN last",
       text(
           "a path", [](settings & s) -> auto& { return s.admin_token_file; })},
      {"metrics-open", "", "", "GET /metrics needs no admin token",
       [](settings& s, std::string_view) {
         s.metrics_open = true;
         return std::string{};
       }},
      {"access-log", "FILE", "none", "a JSON line for each turn; - is standard output",
       text(
           "a path", [](settings & s) -> auto& { return s.access_log; })},
      {"trace", "", "", "turns that come without a traceparent get one",
       [](settings& s, std::string_view) {
         s.trace = true;
         return std::string{};
       }},
      {"log-level", "L", "info", "debug, info, warn or error; log lines go to stderr", store_level},
      {"log-format", "F", "text", "text or json", store_format},
      {"check", "", "", "validate the fleet file, print the slot table, exit",
       [](settings& s, std::string_view) {
         s.check = true;
         return std::string{};
       }},
      {"version", "", "", "print the version, exit", nothing},
      {"help", "", "", "print this text, exit", nothing},
  };
}

}  // namespace

std::vector<flag> all_flags() {
  auto flags = serving_flags();
  for (auto* more : {&fleet_flags, &other_flags}) {
    for (auto& row : more()) {
      flags.push_back(std::move(row));
    }
  }
  return flags;
}

}  // namespace fleet
