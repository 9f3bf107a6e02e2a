// SPDX-License-Identifier: MIT
// A client's connection as the router reads it, and what a replica gets of it: the same requests,
// framed in one way only, without what ends at this hop and without the admin token.
#include "request_head.hpp"

#include "support/judge.hpp"
#include "support/strict_http.hpp"

#include "fleet/core/session_id.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace fleet::fuzz;
using namespace fleet::http;

constexpr std::string_view token = "s3cret-t0ken";

struct received_request {
  request_head head;
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;  ///< all that came
  int refused = 0;                                          ///< a status
  std::size_t used = 0;                                     ///< bytes of the connection
};

/// Reads from a buffer that moves at each piece, as client_connection does.
class connection {
 public:
  connection(std::string_view bytes, unsigned way) : pieces_(cut(bytes, way)) {}

  /// False when the bytes end before the request does.
  bool receive(received_request& into) {
    request_parser parser;
    do {
      while (!started_ && buffer_.starts_with("\r\n")) {
        consume(2);
      }
      started_ = started_ || (!buffer_.empty() && buffer_ != "\r");
      if (!started_) {
        continue;
      }
      const auto ec = parser.parse_head(buffer_);
      if (ec || parser.head_done()) {
        take_head(parser, ec, into);
        return into.refused != 0 || take_body(parser, into);
      }
    } while (more());
    return false;
  }

 private:
  void take_head(const request_parser& parser, error_code ec, received_request& into) {
    const auto refused = read_head(parser, token, into.head);
    for (const auto& field : parser.fields()) {
      into.fields.emplace_back(field.name, field.value);
    }
    into.refused = ec ? refusal_of(ec, buffer_).status : refused ? refused->status : 0;
    consume(std::min(parser.head_size(), buffer_.size()));
  }

  bool take_body(request_parser& parser, received_request& into) {
    while (!parser.is_done()) {
      error_code ec;
      const auto used = parser.parse_body(buffer_, ec);
      for (const auto piece : parser.pieces()) {
        into.body.append(piece);
      }
      consume(used);
      if (ec) {
        into.refused = refusal_of(ec, {}).status;
        return true;
      }
      if (!parser.is_done() && !more()) {
        return false;
      }
    }
    started_ = false;
    into.used = used_;
    return true;
  }

  void consume(std::size_t n) {
    used_ += n;
    buffer_ = buffer_.substr(n);
  }

  bool more() {
    if (next_ == pieces_.size()) {
      return false;
    }
    buffer_ = std::string(buffer_).append(pieces_[next_++]);
    return true;
  }

  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
  std::string buffer_;
  std::size_t used_ = 0;
  bool started_ = false;
};

std::vector<received_request> received(std::string_view bytes, unsigned way) {
  connection client(bytes, way);
  std::vector<received_request> all;
  while (all.size() < 20) {
    received_request next;
    if (!client.receive(next)) {
      break;
    }
    all.push_back(std::move(next));
    if (all.back().refused != 0 || !all.back().head.keep_alive) {
      break;
    }
  }
  return all;
}

/// Fields that the router says in its own words.
bool is_routers(std::string_view name) {
  static constexpr std::string_view names[] = {"host", "content-length", "expect", "x-session-id",
                                               "x-request-id"};
  return std::find(std::begin(names), std::end(names), lower(name)) != std::end(names) ||
         lower(name).starts_with("x-forwarded-");
}

bool goes_on(const received_request& request, const std::pair<std::string, std::string>& field) {
  const bool named =
      std::any_of(request.fields.begin(), request.fields.end(), [&](const auto& other) {
        return lower(other.first) == "connection" && lists(other.second, field.first);
      });
  return !named && !is_routers(field.first) && !ends_here(field.first) &&
         !(lower(field.first) == "authorization" && holds_word(field.second, token));
}

std::string upstream_bytes(const received_request& request) {
  const auto& head = request.head;
  const bool sound = fleet::valid_session_id(head.session);
  std::string out;
  write_upstream_head(head,
                      {.authority = "replica:8001",
                       .client_address = "192.0.2.7",
                       .session = sound ? std::string_view(head.session) : "minted",
                       .request_id = head.request_id.empty() ? "minted" : head.request_id,
                       .body_size = request.body.size()},
                      out);
  return out + request.body;
}

void check_own_fields(const received_request& request, const strict_message& seen) {
  const auto only = [&](std::string_view name, std::string_view value) {
    const auto values = seen.all(name);
    expect(values.size() == 1 && values.front() == value, "one field, in the router's words", name);
  };
  only("Host", "replica:8001");
  expect(seen.all("X-Request-Id").size() == 1 && seen.all("X-Session-Id").size() == 1,
         "one id of each kind");
  expect(fleet::valid_session_id(seen.all("X-Session-Id").front()), "a session id is valid");
  const auto ways = seen.all("X-Forwarded-For");
  expect(ways.size() == 1 && ways.front().ends_with("192.0.2.7"), "the client's address is last");
  expect(seen.has("X-Forwarded-Proto"), "a replica learns the scheme");
  expect(seen.has("X-Forwarded-Host") || request.head.host.empty(), "a replica learns the host");
  expect(!seen.has("Expect"), "an expectation is met here");
  expect(request.body.empty() || seen.has("Content-Length"), "a body has a length");
}

void check_upstream(const received_request& request, std::string_view bytes) {
  auto rest = bytes;
  const auto seen = take_message(rest, body_rule::request);
  expect(seen && rest.empty(), "a strict reader finds one request", bytes);
  expect(seen->start == request.head.method + " " + request.head.target + " HTTP/1.1",
         "method and target go on as they are", bytes);
  expect(seen->body == request.body, "the body goes on byte for byte", bytes);
  check_own_fields(request, *seen);
  std::vector<std::pair<std::string, std::string>> sent;
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const auto& field : seen->fields) {
    expect(!ends_here(field.first), "no hop-by-hop field goes on", field.first);
    if (!is_routers(field.first)) {
      sent.push_back(field);
    }
  }
  std::copy_if(request.fields.begin(), request.fields.end(), std::back_inserter(wanted),
               [&](const auto& field) { return goes_on(request, field); });
  expect(sent == wanted, "end-to-end fields go on in order", bytes);

  // The router's own parser agrees with the strict reader, so a chain of routers does.
  const auto again = received(bytes, 0);
  expect(again.size() == 1 && again.front().refused == 0, "another router takes it", bytes);
  expect(again.front().body == request.body && again.front().used == bytes.size(),
         "another router frames it the same", bytes);
}

/// Where a strict reader finds a request, the router finds the same one or refuses it.
void check_framing(std::string_view bytes, const received_request& first) {
  while (bytes.starts_with("\r\n")) {
    bytes.remove_prefix(2);
  }
  const auto whole = bytes.size();
  const auto seen = take_message(bytes, body_rule::request);
  if (seen && first.refused == 0 && seen->all("Connection").empty()) {
    expect(seen->body == first.body, "the body is where a strict reader finds it", first.body);
    expect(seen->start.starts_with(first.head.method + " "), "the method is the same");
  }
  expect(!seen || bytes.size() <= whole, "a reader only takes");
}

/// The parser sees at once that a whole garbled head is none, but of one in pieces only at its end.
void check_same(std::vector<received_request> whole, std::vector<received_request> pieces) {
  for (auto* requests : {&whole, &pieces}) {
    if (!requests->empty() && requests->back().refused != 0) {
      requests->pop_back();
    }
  }
  expect(whole.size() == pieces.size(), "the cuts between pieces change nothing");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    expect(whole[i].body == pieces[i].body && whole[i].used == pieces[i].used &&
               whole[i].head.fields == pieces[i].head.fields &&
               whole[i].head.target == pieces[i].head.target,
           "a request does not depend on the pieces");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = text_of(data, size);
  const auto requests = received(bytes, 0);
  for (unsigned way = size < 300 ? 1 : 2; way < 4; ++way) {
    check_same(requests, received(bytes, way));
  }
  if (!requests.empty()) {
    check_framing(bytes, requests.front());
  }
  for (const auto& request : requests) {
    const auto kind = request.head.kind;
    if (request.refused == 0 && (kind == route_kind::proxied || kind == route_kind::models)) {
      check_upstream(request, upstream_bytes(request));
    }
  }
  return 0;
}
