// SPDX-License-Identifier: MIT
// Everything of a turn that is computed rather than asked of the kernel or the actors: a request is
// read, its session found, its replica chosen, both heads written, the answer read, the ticket
// given back. `turn_cost N` does so N times, `turn_cost N hooks` what the metrics add to that;
// tests/cost/run counts their instructions.
#include "hook_cost.hpp"
#include "message_parser.hpp"
#include "request_head.hpp"
#include "response_head.hpp"

#include "fleet/core/load_table.hpp"
#include "fleet/core/pin_table.hpp"
#include "fleet/core/session_scan.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace fleet;
using namespace fleet::http;

constexpr std::string_view question =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: router:8000\r\nAccept: application/json\r\n"
    "Accept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
    "User-Agent: OpenAI/Python 1.99.0\r\nX-Stainless-Lang: python\r\nX-Stainless-Retry-Count: 0\r\n"
    "Authorization: Bearer none\r\nContent-Length: 1024\r\n\r\n";

constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\ndate: Mon, 30 Nov 2026 12:00:00 GMT\r\nserver: uvicorn\r\n"
    "content-length: 300\r\ncontent-type: application/json\r\n\r\n";

/// A body whose session_id comes last, so that all of it is looked at.
std::string body() {
  const std::string head = R"({"model":"m","messages":[{"role":"user","content":")";
  const std::string tail = R"("}],"session_id":"0123456789abcdef0123456789abcdef"})";
  return head + std::string(1024 - head.size() - tail.size(), 'a') + tail;
}

struct fleet_state {
  fleet_state() {
    for (std::uint64_t i = 1; i <= 2; ++i) {
      loads.add(instance_id{i});
      loads.set_routable(instance_id{i}, true);
    }
  }
  load_table loads;
  pin_table pins{1000, std::chrono::hours(1)};
};

std::size_t turn(fleet_state& fleet, std::string_view request, std::string_view reply,
                 std::string& out) {
  const pin_table::time_point now{};
  request_parser parser;
  request_head head;
  error_code ec = parser.parse_head(request);
  const bool refused = read_head(parser, "secret", head).has_value();
  session_scan scan;
  parser.parse_body(request.substr(parser.head_size()), ec);
  for (const auto piece : parser.pieces()) {
    scan.feed(piece);
  }
  const route_query query{.session = scan.result().value_or("")};
  const auto where = choose(fleet.loads, query, fleet.pins.look_up(query.session, now), 4);
  if (ec || refused || !where) {
    std::abort();
  }
  fleet.loads.raise(where->replica);
  fleet.pins.pin(query.session, where->replica, now);
  write_upstream_head(head,
                      {.authority = "127.0.0.1:8001",
                       .client_address = "127.0.0.1",
                       .session = query.session,
                       .request_id = "0123456789abcdef0123456789abcdef",
                       .body_size = 1024},
                      out);
  auto written = out.size();
  response_parser parsed;
  ec = parsed.parse_head(reply);
  write_client_head(parsed, framing_for(parsed, false, false),
                    {.keep_alive = true,
                     .session = query.session,
                     .replica = "node-d0",
                     .request_id = "0123456789abcdef0123456789abcdef"},
                    out);
  parsed.parse_body(reply.substr(parsed.head_size()), ec);
  if (ec || !parsed.is_done()) {
    std::abort();
  }
  fleet.loads.lower(where->replica);
  fleet.pins.unpin(query.session, where->replica, true, now);
  return written + out.size();
}

}  // namespace

int main(int argc, char** argv) {
  const auto turns = argc >= 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (argc == 3 && argv[2] == std::string_view("hooks")) {
    fleet::cost::run_hooks(turns);
    return 0;
  }
  fleet_state fleet;
  const std::string request = std::string(question) + body();
  const std::string reply = std::string(answer) + std::string(300, 'b');
  std::string out;
  std::size_t written = 0;
  for (unsigned long i = 0; i < turns; ++i) {
    written += turn(fleet, request, reply, out);
  }
  std::cout << written << "\n";
}
