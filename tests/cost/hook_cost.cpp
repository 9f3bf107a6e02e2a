// SPDX-License-Identifier: MIT
#include "hook_cost.hpp"

#include "client_connection.hpp"

namespace fleet::cost {

using namespace fleet::http;

void run_hooks(unsigned long turns) {
  lane_meter lane;
  const auto replica = lane.of("node-d0");
  const std::string client = "127.0.0.1";
  client_request request;
  request.head.method = "POST";
  request.head.target = "/v1/chat/completions";
  request.session = "0123456789abcdef0123456789abcdef";
  for (unsigned long i = 0; i < turns; ++i) {
    // As client_connection and exchange call them in a turn over a pooled connection.
    turn_record turn;
    turn.begin(1024);
    turn.ticket(affinity::hit);
    turn.at(replica);
    turn.sending();
    turn.answered(200, false);
    (void)turn.first_byte();
    turn.gives(300);
    turn.done();
    turn.end(lane, nullptr, request, client);
  }
}

}  // namespace fleet::cost
