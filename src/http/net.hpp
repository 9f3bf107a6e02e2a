// SPDX-License-Identifier: MIT
// The Asio types of this room. All of them are bound to io_context's own executor: the type-erased
// default costs an indirection and an allocation on each operation.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>

namespace fleet::http {

namespace asio = boost::asio;
using boost::system::error_code;

using executor = asio::io_context::executor_type;
using tcp = asio::ip::tcp;
using tcp_socket = tcp::socket::rebind_executor<executor>::other;
using tcp_acceptor = tcp::acceptor::rebind_executor<executor>::other;
using steady_clock = std::chrono::steady_clock;
using steady_timer =
    asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, executor>;

template <class T>
using awaitable = asio::awaitable<T, executor>;

/// `co_await op(..., use_tuple)` gives std::tuple<error_code, ...> and never throws.
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<executor>> use_tuple{};
/// `co_await f(..., use_value)` for initiating functions of ours that cannot fail.
inline constexpr asio::use_awaitable_t<executor> use_value{};

}  // namespace fleet::http
