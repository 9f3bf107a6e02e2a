// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/wire.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet::rig {

struct header_line {
  std::string name;
  std::string value;
};

// How the body of a message ended.
//   complete   as its framing promised
//   cut        FIN before that
//   reset      RST before that
//   late       not within the limit
//   broken     bytes that are no chunked coding
enum class body_end { complete, cut, reset, late, broken };

// Body bytes as they arrived, one per read and chunk.
struct piece {
  clock::time_point at;
  std::string bytes;
};

// One HTTP/1 message as it came off the wire; nothing is normalised.
struct message {
  std::string head;        // every byte up to and including the empty line
  std::string start_line;  // without CR LF
  std::vector<header_line> headers;
  std::string body;  // decoded when chunked
  std::vector<piece> pieces;
  body_end end = body_end::late;
  // Called after each piece, with this message so far.
  std::function<void(const message&)> on_piece;

  bool complete() const { return end == body_end::complete; }
  // Requests.
  std::string method() const;
  std::string target() const;
  // Responses; 0 when no response came.
  int status() const;

  // Field names compare without case. `get` gives the first value, empty when there is none.
  std::string get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  std::size_t count(std::string_view name) const { return all(name).size(); }
  bool has(std::string_view name) const { return count(name) != 0; }
};

// Case-blind comparison of ASCII.
bool same_word(std::string_view a, std::string_view b);

// Reads one head. Nothing when the peer ended or the deadline passed before its empty line.
std::optional<message> read_head(wire& from, clock::time_point deadline);
// Reads the body a request announces by length or chunks; neither means none.
void read_request_body(wire& from, message& request, clock::time_point deadline);
// Reads the body of the answer to `method`: none, by length, by chunks, or until the close.
void read_response_body(wire& from, message& response, std::string_view method,
                        clock::time_point deadline);

}  // namespace fleet::rig
