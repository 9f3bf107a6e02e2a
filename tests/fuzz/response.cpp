// SPDX-License-Identifier: MIT
// A replica's bytes as the router relays them to each kind of client: the same answer, framed in
// one way only, without what ends at this hop; and what is cut off shows.
#include "response_head.hpp"
#include "support/judge.hpp"
#include "support/strict_http.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace {

using namespace fleet::fuzz;
using namespace fleet::http;

struct client_kind {
  bool head_request = false;
  bool http10 = false;
};

struct relayed {
  bool answered = false;  ///< a head went to the client
  bool whole = false;     ///< and all of the body
  int status = 0;
  body_framing framing = body_framing::none;
  std::string body;    ///< as the parser took it apart
  std::string client;  ///< bytes for the client
};

/// The whole of what a replica sends, then the end of its connection. As exchange does it.
class relay {
 public:
  relay(std::string_view bytes, client_kind client, unsigned way)
      : client_(client), pieces_(cut(bytes, way)) {}

  relayed run() {
    relayed out;
    if (receive_head(out)) {
      out.answered = true;
      pass_on(out);
    }
    return out;
  }

 private:
  bool receive_head(relayed& out) {
    parser_.emplace().skip(client_.head_request);
    for (;;) {
      if (parser_->parse_head(buffer_)) {
        return false;
      }
      if (parser_->head_done()) {
        out.status = parser_->status();
        if (out.status == 101 || out.status < 100) {
          return false;
        }
        if (out.status >= 200) {
          return true;
        }
        buffer_ = buffer_.substr(parser_->head_size());
        parser_.emplace().skip(client_.head_request);
      } else if (!more()) {
        return false;
      }
    }
  }

  void pass_on(relayed& out) {
    out.framing = framing_for(*parser_, client_.head_request, client_.http10);
    write_client_head(*parser_, out.framing,
                      {.http10 = client_.http10,
                       .keep_alive = true,
                       .session = "session-1",
                       .replica = "node0",
                       .request_id = "request-1"},
                      out.client);
    buffer_ = buffer_.substr(parser_->head_size());
    bool at_end = false;
    for (;;) {
      error_code bad;
      const auto used = parser_->parse_body(buffer_, bad);
      for (const auto piece : parser_->pieces()) {
        out.body.append(piece);
        out.client +=
            framed(out.framing == body_framing::chunked ? out.framing : body_framing::close, piece);
      }
      buffer_ = buffer_.substr(used);
      if (parser_->is_done() || at_end) {
        out.whole = true;
        out.client += out.framing == body_framing::chunked ? last_chunk : "";
        return;
      }
      if (bad) {
        return;
      }
      if (!more()) {
        if (!parser_->need_eof()) {
          return;
        }
        at_end = true;
      }
    }
  }

  bool more() {
    if (next_ == pieces_.size()) {
      return false;
    }
    buffer_ = std::string(buffer_).append(pieces_[next_++]);
    return true;
  }

  client_kind client_;
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
  std::string buffer_;
  std::optional<response_parser> parser_;
};

void check_fields(const strict_message& seen, const relayed& out) {
  for (const auto& [name, value] : seen.fields) {
    const bool ours = lower(name) == "connection" || lower(name) == "transfer-encoding";
    expect(ours || !ends_here(name), "no hop-by-hop field goes on", name);
  }
  const auto only = [&](std::string_view name, std::string_view value) {
    const auto values = seen.all(name);
    expect(values.size() == 1 && values.front() == value, "one field, in the router's words", name);
  };
  only("X-Replica", "node0");
  only("X-Session-Id", "session-1");
  expect(seen.has("X-Request-Id"), "an answer has a request id");
  for (const auto* name : {"Server", "Date", "Content-Type"}) {
    expect(seen.all(name).size() <= 1, "no field that may stand once stands twice", name);
  }
  expect(seen.has("Transfer-Encoding") == (out.framing == body_framing::chunked),
         "the coding is the router's");
  expect(out.status != 204 || !seen.has("Content-Length"), "204 has no length");
}

void check_client(const relayed& out) {
  std::string_view rest = out.client;
  const auto rule = out.framing == body_framing::none ? body_rule::no_body : body_rule::answer;
  const auto seen = take_message(rest, rule);
  if (!out.whole) {
    expect(!seen || out.framing == body_framing::close || out.framing == body_framing::none,
           "an answer that was cut off has no end", out.client);
    return;
  }
  expect(seen && rest.empty(), "a strict client finds one answer", out.client);
  expect(seen->start.starts_with("HTTP/1.1 " + std::to_string(out.status) + " "),
         "the status goes on as it is", seen->start);
  expect(seen->body == out.body, "the body goes on byte for byte", out.client);
  check_fields(*seen, out);
}

/// Where a strict client of the replica finds an answer, the router finds the same or none.
void check_framing(std::string_view bytes, const relayed& out, client_kind client) {
  if (!out.whole || bytes.starts_with("HTTP/1.1 1") || bytes.starts_with("HTTP/1.0 1")) {
    return;
  }
  const bool none = client.head_request || out.status == 204 || out.status == 304;
  const auto seen = take_message(bytes, none ? body_rule::no_body : body_rule::answer);
  expect(!seen || seen->body == out.body, "the body is where a strict client finds it", out.body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = text_of(data, size);
  for (const client_kind client : {client_kind{false, false}, {false, true}, {true, false}}) {
    const auto out = relay(bytes, client, 0).run();
    if (out.answered) {
      check_client(out);
      check_framing(bytes, out, client);
    }
    for (unsigned way = size < 300 ? 1 : 2; way < 4; ++way) {
      const auto other = relay(bytes, client, way).run();
      expect(other.answered == out.answered && other.whole == out.whole && other.body == out.body,
             "the cuts between pieces change nothing", other.body);
    }
  }
  return 0;
}
