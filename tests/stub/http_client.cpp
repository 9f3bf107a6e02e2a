// SPDX-License-Identifier: MIT
#include "http_client.hpp"

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

constexpr auto no_pos = std::string::npos;

/// Decodes as many chunks as there are; `complete` once the last one was seen.
void decode_chunks(std::string_view raw, http_answer& into, std::size_t& used) {
  used = 0;
  into.body.clear();
  for (;;) {
    const auto line = raw.find("\r\n", used);
    if (line == no_pos) {
      return;
    }
    const auto size = std::strtoul(std::string(raw.substr(used, line - used)).c_str(), nullptr, 16);
    if (raw.size() < line + 2 + size + 2) {
      return;
    }
    into.body += raw.substr(line + 2, size);
    used = line + 2 + size + 2;
    if (size == 0) {
      into.complete = true;
      return;
    }
  }
}

}  // namespace

std::string http_answer::header(std::string_view name) const {
  for (std::size_t at = head.find("\r\n"); at != no_pos && at + 2 < head.size();
       at = head.find("\r\n", at + 2)) {
    const auto colon = head.find(':', at + 2);
    if (colon == at + 2 + name.size() &&
        ::strncasecmp(head.data() + at + 2, name.data(), name.size()) == 0) {
      return head.substr(colon + 2, head.find("\r\n", colon) - colon - 2);
    }
  }
  return {};
}

http_client::http_client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

http_client::~http_client() {
  if (connected()) {
    ::close(socket_);
  }
}

bool http_client::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

http_answer http_client::get(std::string_view target) {
  send("GET " + std::string(target) + " HTTP/1.1\r\nHost: stub\r\n\r\n");
  return read_answer();
}

http_answer http_client::post(std::string_view target, std::string_view body) {
  begin_post(target, body);
  return read_answer();
}

bool http_client::begin_post(std::string_view target, std::string_view body) const {
  return send("POST " + std::string(target) + " HTTP/1.1\r\nHost: stub\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

bool http_client::read_more() {
  char piece[65536];
  const auto got = ::recv(socket_, piece, sizeof piece, 0);
  if (got > 0) {
    received_.append(piece, static_cast<std::size_t>(got));
  }
  return got > 0;
}

bool http_client::read_until(std::string_view text) {
  while (received_.find(text) == no_pos) {
    if (!read_more()) {
      return false;
    }
  }
  return true;
}

http_answer http_client::read_answer() {
  http_answer answer;
  if (!read_until("\r\n\r\n")) {
    return answer;
  }
  const auto end = received_.find("\r\n\r\n") + 2;
  answer.head = received_.substr(0, end);
  received_.erase(0, end + 2);
  answer.status = std::atoi(answer.head.c_str() + 9);
  const auto length = answer.header("Content-Length");
  const bool chunked = answer.header("Transfer-Encoding") == "chunked";
  std::size_t used = 0;
  bool more = true;
  while (more && !answer.complete) {
    if (chunked) {
      decode_chunks(received_, answer, used);
    } else if (!length.empty()) {
      used = std::strtoul(length.c_str(), nullptr, 10);
      answer.complete = received_.size() >= used;
      answer.body = received_.substr(0, used);
    }
    more = answer.complete || read_more();
  }
  if (!chunked && length.empty()) {
    answer.complete = true;  // framed by the end of the connection
    answer.body = received_;
    used = received_.size();
  }
  received_.erase(0, used);
  return answer;
}

bool http_client::closed_within(std::chrono::milliseconds limit) {
  pollfd wanted{.fd = socket_, .events = POLLIN, .revents = 0};
  return received_.empty() && ::poll(&wanted, 1, static_cast<int>(limit.count())) == 1 &&
         !read_more() && received_.empty();
}
