// SPDX-License-Identifier: MIT
#include "system/support/message.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace fleet::rig {

namespace {

constexpr std::string_view crlf = "\r\n";

std::string word(const std::string& line, std::size_t index) {
  std::size_t begin = 0;
  for (; index > 0; --index) {
    begin = line.find(' ', begin);
    if (begin == std::string::npos)
      return {};
    ++begin;
  }
  return line.substr(begin, line.find(' ', begin) - begin);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

body_end as_end(read_state state) {
  switch (state) {
    case read_state::end:
      return body_end::cut;
    case read_state::reset:
      return body_end::reset;
    default:
      return body_end::late;
  }
}

// Moves up to `count` unread bytes into the body.
std::size_t take(wire& from, message& into, std::uint64_t count) {
  auto& unread = from.unread();
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count, unread.size()));
  if (size == 0)
    return 0;
  into.pieces.push_back({from.last_read(), unread.substr(0, size)});
  into.body.append(unread, 0, size);
  unread.erase(0, size);
  if (into.on_piece)
    into.on_piece(into);
  return size;
}

body_end read_sized(wire& from, message& into, std::uint64_t size, clock::time_point deadline) {
  while ((size -= take(from, into, size)) > 0)
    if (const auto state = from.fill(left(deadline)); state != read_state::data)
      return as_end(state);
  return body_end::complete;
}

// One line without its CR LF, or why there is none.
std::optional<std::string> read_line(wire& from, body_end& why, clock::time_point deadline) {
  std::size_t at = 0;
  while ((at = from.unread().find(crlf)) == std::string::npos)
    if (const auto state = from.fill(left(deadline)); state != read_state::data) {
      why = as_end(state);
      return std::nullopt;
    }
  auto line = from.unread().substr(0, at);
  from.unread().erase(0, at + crlf.size());
  return line;
}

body_end read_chunked(wire& from, message& into, clock::time_point deadline) {
  auto why = body_end::complete;
  for (;;) {
    const auto line = read_line(from, why, deadline);
    if (!line)
      return why;
    std::uint64_t size = 0;
    const auto* const last = line->data() + line->size();
    const auto [stop, error] = std::from_chars(line->data(), last, size, 16);
    if (error != std::errc{} || (stop != last && *stop != ';'))
      return body_end::broken;
    if (size == 0)
      break;
    if (const auto end = read_sized(from, into, size, deadline); end != body_end::complete)
      return end;
    const auto tail = read_line(from, why, deadline);
    if (!tail)
      return why;
    if (!tail->empty())
      return body_end::broken;
  }
  for (;;) {
    const auto trailer = read_line(from, why, deadline);
    if (!trailer || trailer->empty())
      return why;
  }
}

// The framing both directions share: chunks first, then the length.
std::optional<body_end> read_framed(wire& from, message& into, clock::time_point deadline) {
  if (same_word(into.get("Transfer-Encoding"), "chunked"))
    return read_chunked(from, into, deadline);
  if (!into.has("Content-Length"))
    return std::nullopt;
  const auto text = into.get("Content-Length");
  std::uint64_t size = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || stop != text.data() + text.size())
    return body_end::broken;
  return read_sized(from, into, size, deadline);
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string message::method() const {
  return word(start_line, 0);
}

std::string message::target() const {
  return word(start_line, 1);
}

int message::status() const {
  const auto text = word(start_line, 1);
  int status = 0;
  std::from_chars(text.data(), text.data() + text.size(), status);
  return status;
}

std::string message::get(std::string_view name) const {
  const auto values = all(name);
  return values.empty() ? std::string{} : values.front();
}

std::vector<std::string> message::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& line : headers)
    if (same_word(line.name, name))
      values.push_back(line.value);
  return values;
}

std::optional<message> read_head(wire& from, clock::time_point deadline) {
  if (!from.wait_for("\r\n\r\n", left(deadline)))
    return std::nullopt;
  auto& unread = from.unread();
  message out;
  out.head = unread.substr(0, unread.find("\r\n\r\n") + 4);
  unread.erase(0, out.head.size());
  std::string_view rest = out.head;
  const auto next_line = [&rest] {
    const auto line = rest.substr(0, rest.find(crlf));
    rest.remove_prefix(line.size() + crlf.size());
    return line;
  };
  out.start_line = next_line();
  for (auto line = next_line(); !line.empty(); line = next_line()) {
    const auto colon = std::min(line.find(':'), line.size());
    const auto value = trimmed(line.substr(std::min(colon + 1, line.size())));
    out.headers.push_back({std::string{line.substr(0, colon)}, std::string{value}});
  }
  return out;
}

void read_request_body(wire& from, message& request, clock::time_point deadline) {
  request.end = read_framed(from, request, deadline).value_or(body_end::complete);
}

void read_response_body(wire& from, message& response, std::string_view method,
                        clock::time_point deadline) {
  const auto status = response.status();
  if (method == "HEAD" || status / 100 == 1 || status == 204 || status == 304) {
    response.end = body_end::complete;
    return;
  }
  if (const auto end = read_framed(from, response, deadline)) {
    response.end = *end;
    return;
  }
  auto state = read_state::data;
  do
    take(from, response, from.unread().size());
  while ((state = from.fill(left(deadline))) == read_state::data);
  response.end = state == read_state::end ? body_end::complete : as_end(state);
}

}  // namespace fleet::rig
