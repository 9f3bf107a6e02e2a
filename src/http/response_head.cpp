// SPDX-License-Identifier: MIT
#include "response_head.hpp"

#include "field_line.hpp"

#include "fleet/core/harmless.hpp"
#include "fleet/core/header_rules.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>

namespace fleet::http {

namespace {

/// Fields that may stand once only; aiohttp refuses an answer that doubles them.
class seen_once {
 public:
  bool repeated(known_field field) {
    bool* seen = field == known_field::server         ? &server_
                 : field == known_field::date         ? &date_
                 : field == known_field::content_type ? &type_
                                                      : nullptr;
    return seen != nullptr && std::exchange(*seen, true);
  }

 private:
  bool server_ = false;
  bool date_ = false;
  bool type_ = false;
};

}  // namespace

body_framing framing_for(const response_parser& parsed, bool head_request, bool http10) {
  if (head_request || parsed.status() == 204 || parsed.status() == 304) {
    return body_framing::none;
  }
  if (parsed.content_length()) {
    return body_framing::length;
  }
  return http10 ? body_framing::close : body_framing::chunked;
}

std::string_view affinity_field(affinity how, bool minted, bool pins) {
  switch (how) {
    case affinity::hit:
      return "hit; reason=pinned";
    case affinity::fresh:
      return minted ? "miss; reason=new_session" : "miss; reason=no_pin";
    case affinity::moved_load:
      return "moved; reason=load";
    case affinity::moved_gone:
      return "moved; reason=gone";
    case affinity::expired:
      return "miss; reason=expired";
    case affinity::none:
      break;
  }
  return pins ? "none; reason=affinity_off" : "none; reason=no_session";
}

void write_client_head(const response_parser& parsed, body_framing framing,
                       const client_side& client, std::string& out) {
  out.assign("HTTP/1.1 ").append(std::to_string(parsed.status())).append(" ");
  out.append(parsed.reason()).append("\r\n");
  const auto connection = connection_lists(parsed.fields());
  bool has_request_id = false;
  seen_once once;
  for (const auto& field : parsed.fields()) {
    if (field.is == known_field::content_length || is_hop_by_hop(field.is) ||
        once.repeated(field.is) || field.is == known_field::replica ||
        field.is == known_field::affinity ||
        (!client.session.empty() && field.is == known_field::session_id) ||
        named_by(connection, field.name)) {
      continue;
    }
    has_request_id = has_request_id || field.is == known_field::request_id;
    append_line(out, field.name, field.value);
  }
  if (!client.session.empty()) {
    append_line(out, "X-Session-Id", client.session);
  }
  append_line(out, "X-Replica", client.replica);
  if (!client.affinity.empty()) {
    append_line(out, "X-Affinity", client.affinity);
  }
  if (!has_request_id) {
    append_line(out, "X-Request-Id", client.request_id);
  }
  // Without a body (HEAD, 304) it says what the body would have been; 204 must not have it.
  const bool says_length =
      framing == body_framing::length || (framing == body_framing::none && parsed.status() != 204);
  if (says_length && parsed.content_length()) {
    append_line(out, "Content-Length", std::to_string(*parsed.content_length()));
  } else if (framing == body_framing::chunked) {
    append_line(out, "Transfer-Encoding", "chunked");
  }
  if (framing == body_framing::close || !client.keep_alive) {
    append_line(out, "Connection", "close");
  } else if (client.http10) {
    append_line(out, "Connection", "keep-alive");
  }
  out.append("\r\n");
}

std::string own_answer(int status, std::string_view body, bool keep_alive, bool head_request,
                       std::initializer_list<extra_field> extra, std::string_view type) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
  out.append(reason_of(status)).append("\r\n");
  append_line(out, "Server", "pypto-serving-router");
  if (!body.empty()) {
    append_line(out, "Content-Type", type);
  }
  if (status != 204 && status != 304) {
    append_line(out, "Content-Length", std::to_string(body.size()));
  }
  for (const auto& field : extra) {
    if (!field.value.empty()) {
      append_line(out, field.name, field.value);
    }
  }
  append_line(out, "Connection", keep_alive ? "keep-alive" : "close");
  out.append("\r\n");
  if (!head_request) {
    out.append(body);
  }
  return out;
}

std::string open_answer(body_framing framing, std::string_view type, std::string_view request_id) {
  std::string out = "HTTP/1.1 200 OK\r\n";
  append_line(out, "Server", "pypto-serving-router");
  append_line(out, "Content-Type", type);
  append_line(out, "Cache-Control", "no-store");
  append_line(out, "X-Request-Id", request_id);
  if (framing == body_framing::chunked) {
    append_line(out, "Transfer-Encoding", "chunked");
  }
  append_line(out, "Connection", "close");
  return out.append("\r\n");
}

void write_chunk_head(std::size_t size, std::string& out) {
  std::array<char, 2 * sizeof size> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  out.assign(digits.data(), end).append("\r\n");
}

std::string framed(body_framing framing, std::string_view text) {
  std::string out;
  if (text.empty() || framing == body_framing::close) {
    return out.assign(text);
  }
  write_chunk_head(text.size(), out);
  return out.append(text).append("\r\n");
}

boost::json::object error_object(std::string_view code, std::string_view message) {
  const boost::json::string text(harmless(message));
  const boost::json::object error{{"message", text},
                                  {"type", "router_error"},
                                  {"param", nullptr},
                                  {"code", boost::json::string_view(code.data(), code.size())}};
  return {{"object", "error"}, {"message", text}, {"error", error}};
}

std::string error_json(const refusal& why) {
  return boost::json::serialize(error_object(why.code, why.message));
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace fleet::http
