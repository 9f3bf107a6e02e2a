// SPDX-License-Identifier: MIT
#include "client.hpp"

#include "text.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace fleet::ctl {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::use_awaitable;
using tcp = asio::ip::tcp;
using boost::system::system_error;

constexpr std::chrono::seconds connect_limit{5};
constexpr std::uint64_t most_body = 64 * 1024 * 1024;

using message = http::request<http::string_body>;
using parser = http::response_parser<http::string_body>;

message message_of(const request& question, const router_url& where, const std::string& token) {
  message out;
  out.version(11);
  out.method_string(question.method);
  out.target(where.prefix + question.target);
  out.set(http::field::host, where.authority());
  out.set(http::field::user_agent, "fleetctl/" + version());
  out.set(http::field::connection, "close");
  if (!token.empty()) {
    out.set(http::field::authorization, "Bearer " + token);
  }
  if (!question.body.empty()) {
    out.set(http::field::content_type, "application/json");
  }
  out.body() = question.body;
  out.prepare_payload();
  return out;
}

void take(answer& into, parser& from) {
  auto& got = from.get();
  into.status = static_cast<int>(got.result_int());
  into.body = std::move(got.body());
  for (const auto& field : got) {
    std::string name(field.name_string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    into.fields[name] = printable(std::string_view(field.value().data(), field.value().size()));
  }
}

/// What an answer without an end is given to; without a target: the answer has one.
using taker = std::function<bool(std::string_view)>;

/// Limits the time until a next piece.
using rearm = std::function<void()>;

template <class Stream>
asio::awaitable<void> read_pieces(Stream& stream, const taker& pieces, const rearm& again,
                                  answer& into) {
  beast::flat_buffer buffer;
  parser response;
  response.body_limit(boost::none);
  co_await http::async_read_header(stream, buffer, response, use_awaitable);
  const bool good = response.get().result_int() / 100 == 2;
  bool wanted = true;
  while (wanted && !response.is_done()) {
    again();
    co_await http::async_read_some(stream, buffer, response, use_awaitable);
    if (good) {
      wanted = pieces(std::exchange(response.get().body(), {}));
    }
  }
  take(into, response);
}

template <class Stream>
asio::awaitable<void> converse(Stream& stream, message& question, const taker& pieces,
                               const rearm& again, answer& into) {
  co_await http::async_write(stream, question, use_awaitable);
  if (pieces) {
    co_await read_pieces(stream, pieces, again, into);
    co_return;
  }
  beast::flat_buffer buffer;
  parser response;
  response.body_limit(most_body);
  co_await http::async_read(stream, buffer, response, use_awaitable);
  take(into, response);
}

using deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Connects, asks, and reads the answer. Throws system_error where that fails.
asio::awaitable<void> talk(const request& question, const router_url& where, deadline until,
                           message& out, asio::ssl::context* tls, const taker& pieces,
                           answer& into) {
  const auto executor = co_await asio::this_coro::executor;
  beast::tcp_stream stream(executor);
  tcp::resolver resolver(executor);
  const auto found = co_await resolver.async_resolve(where.host, where.port, use_awaitable);
  const auto connected_by = std::chrono::steady_clock::now() + connect_limit;
  stream.expires_at(std::min(connected_by, until.value_or(connected_by)));
  co_await stream.async_connect(found, use_awaitable);
  into.router = reached::yes;
  const rearm again = [&] {
    if (until) {
      stream.expires_at(*until);
    } else if (question.limit) {
      stream.expires_after(*question.limit);
    } else {
      stream.expires_never();
    }
  };
  again();
  if (tls == nullptr) {
    co_await converse(stream, out, pieces, again, into);
    co_return;
  }
  beast::ssl_stream<beast::tcp_stream&> secure(stream, *tls);
  // What SSL_set_tlsext_host_name() expands to, without its old-style cast.
  SSL_ctrl(secure.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(where.host.c_str()));
  secure.set_verify_callback(asio::ssl::host_name_verification(where.host));
  co_await secure.async_handshake(asio::ssl::stream_base::client, use_awaitable);
  co_await converse(secure, out, pieces, again, into);
}

std::string reason_of(const system_error& why, bool connected) {
  const auto code = why.code();
  if (code == beast::error::timeout) {
    return connected ? "no answer in time" : "no connection within 5 s";
  }
  if (code == http::error::end_of_stream || code == asio::error::eof) {
    return "the connection was closed without an answer";
  }
  return printable(code.message());
}

}  // namespace

std::string encoded(std::string_view segment) {
  static constexpr std::string_view plain = "-._~:";
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : segment) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

client::client(const invocation& where, std::optional<std::chrono::steady_clock::time_point> until)
    : where_(where), until_(until) {
  if (!where.router.tls) {
    return;
  }
  tls_ = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  boost::system::error_code ec;
  if (where.insecure_skip_verify) {
    tls_->set_verify_mode(asio::ssl::verify_none, ec);
    return;
  }
  tls_->set_verify_mode(asio::ssl::verify_peer, ec);
  if (where.ca_file.empty()) {
    tls_->set_default_verify_paths(ec);
  } else {
    tls_->load_verify_file(where.ca_file, ec);
  }
  if (ec) {
    tls_failure_ = "--ca-file " + printable(where.ca_file) + ": " + printable(ec.message());
  }
}

answer client::call(const request& question, std::stop_token stop) const {
  return ask(question, nullptr, stop);
}

answer client::follow(const request& question, const taker& pieces) const {
  return ask(question, pieces, {});
}

answer client::ask(const request& question, const taker& pieces,
                   const std::stop_token& stop) const {
  answer into;
  if (!tls_failure_.empty()) {
    into.failure = tls_failure_;
    return into;
  }
  asio::io_context io{1};
  auto out = message_of(question, where_.router, where_.token);
  asio::co_spawn(io, talk(question, where_.router, until_, out, tls_.get(), pieces, into),
                 [this, &into](std::exception_ptr failed) {
                   if (failed) {
                     try {
                       std::rethrow_exception(failed);
                     } catch (const system_error& why) {
                       into.failure = reason_of(why, into.router == reached::yes);
                       into.late = why.code() == beast::error::timeout && late();
                     } catch (const std::exception& why) {
                       into.failure = printable(why.what());
                     }
                     into.router = reached::no;
                   }
                 });
  const std::stop_callback end(stop, [&io] { io.stop(); });
  io.run();
  if (into.status == 0) {
    into.router = reached::no;
  }
  return into;
}

}  // namespace fleet::ctl
