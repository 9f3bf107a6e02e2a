// SPDX-License-Identifier: MIT
#include "fleet/http/prober.hpp"

#include "lane_thread.hpp"
#include "message_parser.hpp"
#include "resolver_pool.hpp"
#include "tls_contexts.hpp"
#include "upstream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <unordered_map>

namespace fleet::http {

namespace {

/// The prober with the message its sockets answer through; only prober_actor is seen outside.
using prober_with_answers =
    prober_actor::extend<caf::reacts_to<probe_atom, std::uint64_t, probe_result>>;

bool this_side_is_out(error_code ec) {
  return out_of_descriptors(ec) || ec == asio::error::no_buffer_space ||
         ec == asio::error::host_not_found_try_again ||
         ec == boost::system::errc::address_not_available;
}

probe_result silent(error_code ec) {
  return {this_side_is_out(ec) ? probe_verdict::inconclusive : probe_verdict::silent, ec.message()};
}

awaitable<probe_result> exchange_health(std::shared_ptr<upstream> connection, endpoint where) {
  const std::string request = "GET /health HTTP/1.1\r\nHost: " + authority(where) +
                              "\r\nUser-Agent: pypto-serving-router\r\nConnection: close\r\n\r\n";
  connection->send(asio::buffer(request));
  co_await connection->send_ended();
  if (connection->send_error()) {
    co_return silent(connection->send_error());
  }
  auto parser = std::make_unique<response_parser>();
  std::size_t interim = 0;
  for (;;) {
    if (const auto ec = parser->parse_head(connection->bytes().data())) {
      co_return probe_result{probe_verdict::bad, "answered no HTTP: " + ec.message(), true};
    }
    if (parser->head_done() && parser->status() / 100 != 1) {
      break;
    }
    if (parser->head_done()) {
      interim += parser->head_size();
      if (interim > header_limit) {
        co_return probe_result{probe_verdict::bad, "sent interim answers without end", true};
      }
      connection->bytes().consume(parser->head_size());
      parser = std::make_unique<response_parser>();
      continue;
    }
    if (const auto ec = co_await connection->more()) {
      auto result = silent(ec);
      result.connected = true;
      co_return result;
    }
  }
  if (parser->status() == 200) {
    co_return probe_result{probe_verdict::good, {}, true};
  }
  co_return probe_result{probe_verdict::bad, "answered " + std::to_string(parser->status()), true};
}

awaitable<probe_result> probe(lane_thread& lane, lane_threads& all, endpoint where,
                              std::chrono::nanoseconds limit) {
  error_code ec;
  auto tls = all.tls().find(where, ec);
  if (ec) {
    co_return probe_result{probe_verdict::silent, "CA file: " + ec.message()};
  }
  auto connection = std::make_shared<upstream>(lane.io.get_executor(), lane.wheel, std::move(tls));
  const auto end = steady_clock::now() + limit;
  if (const auto failed = co_await connection->connect(all.names(), where, limit)) {
    connection->close();
    co_return silent(failed);
  }
  bool struck = false;
  deadline over(lane.wheel);
  over.arm(std::max<std::chrono::nanoseconds>(end - steady_clock::now(), {}), [&] {
    struck = true;
    connection->close();
  });
  auto result = co_await exchange_health(connection, where);
  connection->close();
  if (struck) {
    result = {probe_verdict::silent, "no answer in time"};
  }
  result.connected = true;
  co_return result;
}

struct prober_state {
  static inline const char* name = "prober";

  prober_state(prober_with_answers::pointer selfptr) : self(selfptr) {}

  caf::typed_response_promise<probe_result> start(lane_threads& lanes, const endpoint& where,
                                                  caf::timespan limit) {
    auto promise = self->make_response_promise<probe_result>();
    const auto id = next++;
    waiting.emplace(id, promise);
    auto& lane = lanes.at(id % lanes.lanes());
    asio::co_spawn(
        lane.io.get_executor(),
        [&lane, &lanes, where, limit, id,
         me = caf::actor_cast<prober_with_answers>(self)]() -> awaitable<void> {
          const auto began = steady_clock::now();
          auto result = co_await probe(lane, lanes, where, limit);
          lane.meter.probed(static_cast<std::size_t>(result.verdict), steady_clock::now() - began);
          caf::anon_send(me, probe_atom::value, id, std::move(result));
        },
        asio::detached);
    return promise;
  }

  void end(std::uint64_t id, probe_result& result) {
    const auto found = waiting.find(id);
    if (found != waiting.end()) {
      found->second.deliver(std::move(result));
      waiting.erase(found);
    }
  }

  prober_with_answers::pointer self;
  std::uint64_t next = 0;
  std::unordered_map<std::uint64_t, caf::typed_response_promise<probe_result>> waiting;
};

prober_with_answers::behavior_type prober(prober_with_answers::stateful_pointer<prober_state> self,
                                          lane_threads* lanes) {
  return {
      [self, lanes](probe_atom, const endpoint& where, caf::timespan limit) {
        return self->state.start(*lanes, where, limit);
      },
      [self](probe_atom, std::uint64_t id, probe_result& result) { self->state.end(id, result); },
  };
}

}  // namespace

prober_actor spawn_prober(caf::actor_system& system, lane_threads& lanes) {
  return caf::actor_cast<prober_actor>(system.spawn(prober, &lanes));
}

}  // namespace fleet::http
