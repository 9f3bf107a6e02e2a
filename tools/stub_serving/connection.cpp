// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace fleet::stub {
namespace {

constexpr auto quietly = net::as_tuple(net::use_awaitable);
constexpr std::uint64_t body_limit = 100ULL * 1024 * 1024;
constexpr std::uint32_t header_limit = 64 * 1024;

// Where an answer breaks off: inside a body with a length, inside a chunk, inside an event.
constexpr std::string_view half_an_answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{";
constexpr std::string_view half_a_chunk = "ff\r\ndata: ";
constexpr std::string_view half_an_event = "data: ";

std::string_view path_of(const request& asked) {
  const std::string_view target(asked.target().data(), asked.target().size());
  return target.substr(0, target.find('?'));
}

void add_identity(http::fields& head, const replica& self) {
  head.set(http::field::server, "stub-serving");
  head.set("X-Stub-Port", std::to_string(self.port()));
  head.set("X-Stub-Name", self.name());
}

std::optional<dialect> turn_path(std::string_view path) {
  if (path == "/v1/chat/completions") {
    return dialect::chat;
  }
  if (path == "/v1/completions") {
    return dialect::completions;
  }
  if (path == "/v1/responses") {
    return dialect::responses;
  }
  if (path == "/v1/embeddings") {
    return dialect::embeddings;
  }
  return std::nullopt;
}

/// The client sent what is no HTTP, rather than nothing more.
bool malformed(const beast::error_code& failed) {
  return failed.category() == beast::error_code(http::error::bad_method).category() &&
         failed != http::error::end_of_stream && failed != http::error::partial_message;
}

/// `text` as one chunk of the chunked coding, or as it is for a client of HTTP/1.0.
std::string framed(const std::string& text, bool chunked) {
  if (!chunked || text.empty()) {
    return text;
  }
  char size[20];
  const int length = std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return std::string(size, static_cast<std::size_t>(length)) + text + "\r\n";
}

}  // namespace

connection::connection(net::ip::tcp::socket socket, replica& self)
    : stream_(std::move(socket)), self_(self) {
  beast::error_code ignored;
  stream_.socket().set_option(net::ip::tcp::no_delay(true), ignored);
}

void connection::retire() {
  close_ = true;
  if (!busy_) {
    stream_.cancel();
  }
}

net::awaitable<void> connection::run() {
  while (!close_) {
    parser in;
    if (!co_await read(in)) {
      break;
    }
    const auto asked = in.release();
    close_ = close_ || !asked.keep_alive();
    co_await answer(asked);
    busy_ = false;
    served_ = true;
  }
  beast::error_code ignored;
  stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ignored);
}

net::awaitable<bool> connection::read(parser& in) {
  in.body_limit(body_limit);
  in.header_limit(header_limit);
  if (served_) {
    stream_.expires_after(self_.knobs().keep_alive);
  }
  auto [no_head, head_bytes] = co_await http::async_read_header(stream_, buffer_, in, quietly);
  stream_.expires_never();
  if (no_head) {
    if (no_head == http::error::body_limit) {
      co_await refuse_body(in.get());
    } else if (malformed(no_head)) {
      co_await send(request{}, 400, error_answer(no_head.message(), "bad_request"));
    }
    co_return false;
  }
  busy_ = true;
  if (beast::iequals(in.get()[http::field::expect], "100-continue") &&
      !co_await send_raw("HTTP/1.1 100 Continue\r\n\r\n")) {
    co_return false;
  }
  auto [no_body, body_bytes] = co_await http::async_read(stream_, buffer_, in, quietly);
  if (no_body == http::error::body_limit) {
    co_await refuse_body(in.get());
  }
  co_return !no_body;
}

net::awaitable<void> connection::refuse_body(const request& asked) {
  close_ = true;
  co_await send(asked, 413, error_answer("the body is above 100 MB", "body_too_large"));
}

net::awaitable<void> connection::answer(const request& asked) {
  const auto path = path_of(asked);
  const auto turn = turn_path(path);
  if (turn ? asked.method() != http::verb::post : asked.method() != http::verb::get) {
    co_await send(asked, 405, error_answer("Method Not Allowed", "method_not_allowed"));
  } else if (turn) {
    co_await answer_turn(*turn, asked);
  } else if (path == "/health") {
    const bool good = self_.healthy();
    co_await send(asked, good ? 200 : 503,
                  good ? R"({"status":"ok"})" : R"({"status":"unhealthy"})");
  } else if (path == "/v1/models") {
    co_await send(asked, 200, self_.models());
  } else if (path == "/stub/stats") {
    co_await send(asked, 200, self_.stats());
  } else {
    co_await send(asked, 404, error_answer("Not Found", "not_found"));
  }
}

net::awaitable<void> connection::answer_turn(dialect which, const request& asked) {
  using namespace net::experimental::awaitable_operators;
  auto read = read_prompt(which, asked.body());
  if (!read) {
    co_await send(asked, 400, error_answer(read.error(), "bad_request"));
    co_return;
  }
  if (self_.refuses_turn()) {
    co_await send(asked, static_cast<unsigned>(self_.knobs().refuse_status),
                  error_answer("told to refuse", "refused"));
    co_return;
  }
  const auto turn = self_.plan(which, std::move(*read));
  auto& count = self_.count();
  ++count.active;
  const auto first = co_await (generate(asked, turn) || hung_up());
  --count.active;
  if (first.index() == 0 && std::get<0>(first)) {
    ++count.completed;
    self_.die_if_due();
    co_return;
  }
  close_ = true;
  if (first.index() == 1 || (!self_.knobs().fail_after_tokens && !faulty_)) {
    ++count.cancelled;
  }
}

net::awaitable<bool> connection::generate(const request& asked, const turn_plan& turn) {
  if (self_.fault_now() == fault::garbage) {
    faulty_ = true;
    co_await send_raw("\x01\x02 this is no HTTP\r\n\r\n");
    co_return false;
  }
  bool sent = co_await prefill(turn);
  if (sent) {
    self_.prefilled(turn);
    auto words = turn.stream ? speak_stream(asked, turn) : speak_whole(asked, turn);
    sent = co_await std::move(words);
  }
  co_return sent;
}

net::awaitable<bool> connection::prefill(const turn_plan& turn) {
  do {
    const auto wait = self_.knobs().hang_prefill ? duration(std::chrono::hours(1)) : turn.prefill;
    if (!co_await pause(wait)) {
      co_return false;
    }
  } while (self_.knobs().hang_prefill);
  co_return true;
}

net::awaitable<bool> connection::say_token(const turn_plan& turn, std::size_t index,
                                           std::string_view half_an_answer) {
  if (index == self_.knobs().fail_after_tokens) {
    co_return false;
  }
  if (index == turn.used.completion / 2) {
    const auto now = self_.fault_now();
    if (now == fault::cut || now == fault::die) {
      faulty_ = true;
      std::string half(half_an_answer);
      co_await send_raw(std::move(half));
      if (now == fault::die) {
        self_.die();
      }
      co_return false;
    }
  }
  co_return co_await pause(self_.knobs().token_delay);
}

net::awaitable<bool> connection::speak_whole(const request& asked, const turn_plan& turn) {
  if (turn.head.which == dialect::embeddings) {
    co_return co_await send(asked, 200,
                            embedding_answer(turn.head, turn.inputs, turn.base64, turn.used));
  }
  std::string text;
  for (std::size_t i = 0; i < turn.used.completion; ++i) {
    if (!co_await say_token(turn, i, half_an_answer)) {
      co_return false;
    }
    text += token_text(self_.name(), i, turn.echo);
  }
  co_return co_await send(asked, 200, whole_answer(turn.head, text, turn.used, turn.finish));
}

net::awaitable<bool> connection::speak_stream(const request& asked, const turn_plan& turn) {
  const bool chunked = asked.version() >= 11;
  close_ = close_ || !chunked;
  http::response<http::empty_body> head(http::status::ok, asked.version());
  add_identity(head, self_);
  head.set(http::field::content_type, "text/event-stream; charset=utf-8");
  head.set(http::field::cache_control, "no-cache");
  head.chunked(chunked);
  head.keep_alive(!close_);
  http::response_serializer<http::empty_body> writer(head);
  auto [failed, bytes] = co_await http::async_write_header(stream_, writer, quietly);
  if (failed || !co_await send_raw(framed(opening_event(turn.head), chunked))) {
    co_return false;
  }
  const auto half = chunked ? half_a_chunk : half_an_event;
  std::string text;
  for (std::size_t i = 0; i < turn.used.completion; ++i) {
    if (!co_await say_token(turn, i, half)) {
      co_return false;
    }
    const auto token = token_text(self_.name(), i, turn.echo);
    text += token;
    if (!co_await send_raw(framed(token_event(turn.head, token), chunked))) {
      co_return false;
    }
  }
  auto last =
      framed(closing_events(turn.head, text, turn.used, turn.finish, turn.include_usage), chunked);
  co_return co_await send_raw(last + (chunked ? "0\r\n\r\n" : ""));
}

net::awaitable<void> connection::hung_up() {
  auto& socket = stream_.socket();
  for (;;) {
    auto [failed] = co_await socket.async_wait(net::ip::tcp::socket::wait_read, quietly);
    if (failed) {
      co_return;
    }
    char byte = 0;
    const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      co_return;
    }
    if (got > 0) {
      // The next request is here already; whoever sends one has not left. Nothing more to learn.
      while (co_await pause(std::chrono::hours(1))) {
      }
      co_return;
    }
  }
}

net::awaitable<bool> connection::send(const request& asked, unsigned status, std::string body) {
  const bool head_only = asked.method() == http::verb::head;
  http::response<http::string_body> out(http::int_to_status(status), asked.version());
  add_identity(out, self_);
  out.set(http::field::content_type, "application/json");
  if (status == 405) {
    out.set(http::field::allow, turn_path(path_of(asked)) ? "POST" : "GET");
  }
  if ((status == 429 || status == 503) && turn_path(path_of(asked))) {
    out.set(http::field::retry_after, "1");
  }
  out.keep_alive(!close_ && asked.keep_alive());
  out.content_length(body.size());
  if (!head_only) {
    out.body() = std::move(body);
  }
  http::response_serializer<http::string_body> writer(out);
  auto [failed, bytes] = co_await http::async_write(stream_, writer, quietly);
  co_return !failed;
}

net::awaitable<bool> connection::send_raw(std::string bytes) {
  auto [failed, written] = co_await net::async_write(stream_, net::buffer(bytes), quietly);
  co_return !failed;
}

net::awaitable<bool> connection::pause(duration how_long) {
  if (how_long <= duration::zero()) {
    co_return true;
  }
  net::steady_timer timer(co_await net::this_coro::executor, how_long);
  auto [failed] = co_await timer.async_wait(quietly);
  co_return !failed;
}

}  // namespace fleet::stub
