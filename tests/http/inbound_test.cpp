// SPDX-License-Identifier: MIT
#include "inbound.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/_experimental/test/stream.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace fleet::http;
namespace test = boost::beast::test;

namespace {

struct owned_stream {
  owned_stream(asio::io_context& io, test::fail_count& fails)
      : stream(io, fails), in(stream, 16, 64) {}
  test::stream stream;
  inbound<test::stream> in;
};

/// Reads to the end of `text`, which the peer sent in two parts and then closed.
awaitable<std::pair<std::string, error_code>> read_all(std::shared_ptr<owned_stream> owner) {
  std::string got;
  for (;;) {
    const auto ec = co_await owner->in.more(owner);
    got.append(owner->in.bytes().data());
    owner->in.bytes().consume(owner->in.bytes().size());
    if (ec) {
      co_return std::pair{got, ec};
    }
  }
}

template <class T>
T run(asio::io_context& io, awaitable<T> work) {
  std::optional<T> out;
  asio::co_spawn(io, std::move(work), [&](std::exception_ptr, T value) { out = std::move(value); });
  io.restart();
  io.run();
  REQUIRE(out.has_value());
  return std::move(*out);
}

}  // namespace

TEST_CASE("whichever read fails, what came before it is kept and the failure is told") {
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
  for (std::size_t fail_at = 1;; ++fail_at) {
    CAPTURE(fail_at);
    asio::io_context io;
    test::fail_count fails(fail_at);
    auto owner = std::make_shared<owned_stream>(io, fails);
    test::stream peer(io);
    owner->stream.connect(peer);
    peer.write_some(asio::buffer(text));
    peer.close();
    const auto [got, ec] = run(io, read_all(owner));
    CHECK(text.starts_with(got));
    if (ec == asio::error::eof) {
      CHECK(got == text);
      CHECK(fail_at > 2);
      break;
    }
    CHECK(ec == test::error::test_failure);
    CHECK(owner->in.failure() == ec);
  }
}

TEST_CASE("a read under way while nobody waits keeps what it brings and tells of the end") {
  asio::io_context io;
  test::fail_count never(1000);
  auto owner = std::make_shared<owned_stream>(io, never);
  test::stream peer(io);
  owner->stream.connect(peer);
  int changes = 0;
  owner->in.on_change([&] {
    ++changes;
    owner->in.arm(owner);
  });
  owner->in.arm(owner);
  peer.write_some(asio::buffer("next request", 12));
  peer.close();
  io.run();
  CHECK(changes == 2);
  CHECK(owner->in.bytes().data() == "next request");
  CHECK(owner->in.failure() == asio::error::eof);
}

TEST_CASE("a full buffer pauses reading and loses nothing") {
  asio::io_context io;
  test::fail_count never(1000);
  auto owner = std::make_shared<owned_stream>(io, never);
  test::stream peer(io);
  owner->stream.connect(peer);
  owner->in.on_change([&] { owner->in.arm(owner); });
  owner->in.arm(owner);
  peer.write_some(asio::buffer(std::string(200, 'x')));
  io.run();
  CHECK(owner->in.bytes().size() == 64);
  CHECK(!owner->in.reading());
  CHECK(!owner->in.failure());
  CHECK(run(io, owner->in.more(owner)) == asio::error::no_buffer_space);
}

TEST_CASE("reads begin small, grow with what comes, and give the memory back when it is over") {
  asio::io_context io;
  test::fail_count never(1000);
  struct large_stream {
    large_stream(asio::io_context& context, test::fail_count& fails)
        : stream(context, fails), in(stream, 32 * 1024, 96 * 1024) {}
    test::stream stream;
    inbound<test::stream> in;
  };
  auto owner = std::make_shared<large_stream>(io, never);
  test::stream peer(io);
  owner->stream.connect(peer);
  const auto read_once = [&](std::size_t sent) {
    if (sent != 0) {
      peer.write_some(asio::buffer(std::string(sent, 'x')));
    }
    run(io, owner->in.more(owner));
    const auto got = owner->in.bytes().size();
    owner->in.bytes().consume(got);
    return got;
  };
  CHECK(read_once(60 * 1024) == 2 * 1024);
  CHECK(read_once(0) == 8 * 1024);
  CHECK(read_once(0) == 32 * 1024);
  CHECK(read_once(0) == 18 * 1024);
  CHECK(owner->in.bytes().make_room(1, 96 * 1024));
  CHECK(read_once(100) == 100);
  CHECK(read_once(60 * 1024) == 2 * 1024);
}
