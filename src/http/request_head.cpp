// SPDX-License-Identifier: MIT
#include "request_head.hpp"

#include "bearer.hpp"
#include "field_line.hpp"

#include "fleet/core/header_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace fleet::http {

namespace {

/// What the router's own fields take, or nearly.
constexpr std::size_t usual_additions = 512;

bool is_method_with_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

bool is_admin_path(std::string_view path) {
  for (const std::string_view root :
       {"/replicas", "/slots", "/sessions", "/events", "/snapshot", "/version"}) {
    if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/')) {
      return true;
    }
  }
  return false;
}

route_kind classify(std::string_view method, std::string_view target) {
  if (target == "*") {
    return method == "OPTIONS" ? route_kind::options : route_kind::unknown;
  }
  const auto path = path_of(target);
  if (path == "/health") {
    return route_kind::health;
  }
  if (path == "/openapi.json") {
    return route_kind::openapi;
  }
  if (path == "/metrics") {
    return route_kind::metrics;
  }
  if (path == "/dashboard" || path.starts_with("/dashboard/")) {
    return route_kind::page;
  }
  if (is_admin_path(path)) {
    return route_kind::admin;
  }
  if (path == "/v1/models" && method == "GET") {
    return route_kind::models;
  }
  return path.starts_with("/v1/") ? route_kind::proxied : route_kind::unknown;
}

struct split_target {
  std::string_view authority;  ///< of the absolute form only
  std::string_view origin;
};

/// RFC 9112 3.2.2: of `http://host:port/path?query` a server uses what comes behind the authority,
/// and the authority in place of the Host field.
std::optional<split_target> split_absolute(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() >= scheme.size() && same_token(target.substr(0, scheme.size()), scheme)) {
      const auto rest = std::min(target.find_first_of("/?#", scheme.size()), target.size());
      const auto path = target.substr(rest);
      return split_target{target.substr(scheme.size(), rest - scheme.size()),
                          path.starts_with('/') ? path : "/"};
    }
  }
  return std::nullopt;
}

/// Fields that the router answers for itself, or that end at this hop.
bool stays_here(known_field field) {
  using enum known_field;
  return is_hop_by_hop(field) || field == host || field == content_length || field == expect ||
         field == session_id || field == request_id || field == forwarded_for;
}

void note_field(request_head& head, const field_view& field, bool ends_here, int& hosts) {
  switch (field.is) {
    case known_field::host:
      ++hosts;
      head.host = field.value;
      break;
    case known_field::session_id:
      if (head.session.empty()) {
        head.session = field.value;
      }
      break;
    case known_field::request_id:
      if (head.request_id.empty()) {
        head.request_id = field.value;
      }
      break;
    case known_field::forwarded_for:
      head.forwarded_for.append(head.forwarded_for.empty() ? "" : ", ").append(field.value);
      break;
    case known_field::forwarded_proto:
      head.has_forwarded_proto = head.has_forwarded_proto || !ends_here;
      break;
    case known_field::forwarded_host:
      head.has_forwarded_host = head.has_forwarded_host || !ends_here;
      break;
    case known_field::expect:
      head.expects_continue = same_token(field.value, "100-continue");
      break;
    case known_field::content_length:
    case known_field::transfer_encoding:
      head.has_body_framing = true;
      break;
    default:
      break;
  }
}

bool is_credential(known_field is) {
  return is == known_field::authorization || is == known_field::proxy_authorization;
}

/// Two Authorization fields could be read in two ways, so they count as none.
void note_authorization(request_head& head, const std::vector<field_view>& fields) {
  int found = 0;
  for (const auto& field : fields) {
    if (field.is == known_field::authorization) {
      ++found;
      head.authorization = field.value;
    }
  }
  if (found != 1) {
    head.authorization.clear();
  }
}

void note_entity_tags(request_head& head, const std::vector<field_view>& fields) {
  for (const auto& field : fields) {
    if (same_token(field.name, "If-None-Match")) {
      head.if_none_match.append(head.if_none_match.empty() ? "" : ", ").append(field.value);
    }
  }
}

}  // namespace

bool request_head::carries_session() const {
  return kind == route_kind::proxied && !plain_get();
}

bool request_head::pins() const {
  return kind == route_kind::proxied && method != "HEAD" && method != "OPTIONS";
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find_first_of("?#"));
}

std::optional<refusal> read_head(const request_parser& parsed, std::string_view admin_token,
                                 request_head& into) {
  into.method = parsed.method();
  const auto absolute = split_absolute(parsed.target());
  into.target = absolute ? absolute->origin : parsed.target();
  into.kind = classify(into.method, into.target);
  into.http10 = parsed.version() < 11;
  int hosts = 0;
  const auto connection = connection_lists(parsed.fields());
  into.fields.reserve(parsed.head_size());
  for (const auto& field : parsed.fields()) {
    const bool ends_here = named_by(connection, field.name);
    note_field(into, field, ends_here, hosts);
    if (!stays_here(field.is) && !ends_here &&
        !(is_credential(field.is) && mentions(field.value, admin_token))) {
      append_line(into.fields, field.name, field.value);
    }
  }
  if (into.kind == route_kind::admin || into.kind == route_kind::metrics) {
    note_authorization(into, parsed.fields());
  }
  if (into.kind == route_kind::page) {
    note_entity_tags(into, parsed.fields());
  }
  if (!parsed.head_done()) {
    return std::nullopt;
  }
  into.keep_alive = parsed.keep_alive();
  if (hosts > 1 || (hosts == 0 && !into.http10)) {
    return refusal{400, "bad_request", "a request needs exactly one Host field"};
  }
  const bool named =
      is_host_value(into.host) &&
      (!absolute || (is_host_value(absolute->authority) && !absolute->authority.empty()));
  if (!named) {
    return refusal{400, "bad_request", "the request's host is no host"};
  }
  if (absolute) {
    into.host = absolute->authority;
  }
  if (into.method == "CONNECT") {
    return refusal{405, "method_not_allowed", "CONNECT is not offered here"};
  }
  return std::nullopt;
}

refusal refusal_of(error_code ec, std::string_view data) {
  using beast_error = beast_http::error;
  if (ec == beast_error::header_limit) {
    return {431, "header_too_large",
            "the header block is larger than 65536 bytes or has more than 512 fields"};
  }
  if (ec == beast_error::bad_version) {
    const auto line = data.substr(0, data.find("\r\n"));
    const auto version = line.substr(line.rfind(' ') + 1);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool ours = version.starts_with("HTTP/1.1") || version.starts_with("HTTP/1.0");
    if (version.size() == 8 && version.starts_with("HTTP/") && digit(version[5]) &&
        version[6] == '.' && digit(version[7]) && !ours) {
      return {505, "unsupported_version", "this server speaks HTTP/1.0 and HTTP/1.1"};
    }
  }
  return {400, "bad_request", "the request cannot be read: " + ec.message()};
}

void write_upstream_head(const request_head& head, const forwarding& way, std::string& out) {
  out.clear();
  out.reserve(head.fields.size() + head.target.size() + usual_additions);
  out.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
  append_line(out, "Host", way.authority);
  out.append(head.fields);
  out.append("X-Forwarded-For: ").append(head.forwarded_for);
  out.append(head.forwarded_for.empty() ? "" : ", ").append(way.client_address).append("\r\n");
  if (!head.has_forwarded_proto) {
    append_line(out, "X-Forwarded-Proto", "http");
  }
  if (!head.has_forwarded_host && !head.host.empty()) {
    append_line(out, "X-Forwarded-Host", head.host);
  }
  append_line(out, "X-Request-Id", way.request_id);
  if (!way.session.empty()) {
    append_line(out, "X-Session-Id", way.session);
  }
  if (head.has_body_framing || way.body_size != 0 || is_method_with_body(head.method)) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), way.body_size).ptr;
    append_line(out, "Content-Length", {digits.data(), end});
  }
  out.append("\r\n");
}

}  // namespace fleet::http
