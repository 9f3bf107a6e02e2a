// SPDX-License-Identifier: MIT
#include "system/support/requests.hpp"

#include <array>
#include <cstdio>

namespace fleet::rig {

namespace {

std::string hex(std::size_t value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%zx", value);
  return text.data();
}

std::string head(std::string_view method, std::string_view target, std::string_view fields) {
  return std::string{method} + " " + std::string{target} +
         " HTTP/1.1\r\nHost: r\r\nContent-Type: application/json\r\n" + std::string{fields};
}

}  // namespace

std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view fields) {
  return head(method, target, fields) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string{body};
}

std::string chat(std::string_view body, std::string_view fields) {
  return request("POST", "/v1/chat/completions", body, fields);
}

std::string chunked_chat(std::string_view body, std::size_t piece, std::string_view fields) {
  auto out = head("POST", "/v1/chat/completions", fields) + "Transfer-Encoding: chunked\r\n\r\n";
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size())))
    out += chunk(body.substr(0, piece));
  return out += last_chunk;
}

std::string session(std::string_view id) {
  return "X-Session-Id: " + std::string{id} + "\r\n";
}

std::string response(std::string_view status, std::string_view body, std::string_view fields) {
  return "HTTP/1.1 " + std::string{status} +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string{fields} + "\r\n" + std::string{body};
}

std::string chunk(std::string_view bytes) {
  return hex(bytes.size()) + "\r\n" + std::string{bytes} + "\r\n";
}

std::string event_text(int i) {
  return "data: {\"i\":" + std::to_string(i) + "}\n\n";
}

std::string event(int i) {
  return chunk(event_text(i));
}

void answer_ok(replica_turn& turn) {
  turn.read_body();
  turn.send(response("200 OK", R"({"ok":true})"));
}

scripted_replica::script answer_with(std::string bytes) {
  return [bytes = std::move(bytes)](replica_turn& turn) {
    turn.read_body();
    turn.send(bytes);
  };
}

scripted_replica::script stream_of(int count, milliseconds gap) {
  return [=](replica_turn& turn) {
    turn.read_body();
    turn.send(stream_head);
    for (int i = 0; i < count; ++i)
      if (!turn.send(event(i)) || !turn.pause(gap))
        return;
    turn.send(chunk(done_text) + std::string{last_chunk});
  };
}

void stay_mute(replica_turn& turn) {
  turn.read_body();
  turn.wait_closed(1h);
}

}  // namespace fleet::rig
