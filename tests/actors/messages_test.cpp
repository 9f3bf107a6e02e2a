// SPDX-License-Identifier: MIT
#include "fleet/actors/messages.hpp"

#include "support/simulation.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

const endpoint somewhere{
    .host = "::1", .port = 8001, .tls = true, .ca_file = "/ca", .insecure_skip_verify = true};

const replica_view one_view{.instance = {7},
                            .name = "node0",
                            .url = "http://h:1",
                            .now = phase::failed,
                            .ready = true,
                            .owned = true,
                            .draining = true,
                            .outstanding = 3,
                            .routed = 9,
                            .reason = "answered 503",
                            .since = 5s,
                            .place = {"node0-d4", {4, 5}, "node0", "/tmp/node0-d4.log"},
                            .answers = 4,
                            .first_byte_sum = 6s};

const capacity_view one_pool{.owned = 1,
                             .ceiling = 2,
                             .free_slots = {"a", "b"},
                             .unconfirmed = {{"c", "stop-unconfirmed", "ssh: exit status 255", 3s}},
                             .abandoned = {{"d", 3, "why", 4s}},
                             .replacing = {{"e", 2, "why", 5s}},
                             .failed_launches = {{"f", "exit status 3", 6s}}};

template <class T>
void check_round_trip(caf::actor_system& system, const T& sent) {
  CAPTURE(caf::deep_to_string(sent));
  std::vector<char> bytes;
  caf::binary_serializer sink(system, bytes);
  REQUIRE_FALSE(sink(const_cast<T&>(sent)));
  caf::binary_deserializer source(system, bytes);
  T received;
  REQUIRE_FALSE(source(received));
  CHECK(received == sent);
}

template <class Enum>
void check_names(int count) {
  std::set<std::string> names;
  for (int i = 0; i < count; ++i)
    names.insert(to_string(static_cast<Enum>(i)));
  CHECK(names.size() == static_cast<std::size_t>(count));
  CHECK(names.count("unknown") == 0);
  CHECK(to_string(static_cast<Enum>(count)) == "unknown");
}

}  // namespace

TEST_CASE("every message type survives a round trip with all its fields") {
  simulation sim;
  auto& system = sim.system();
  check_round_trip(system, somewhere);
  check_round_trip(system, replica_spec{"node0", somewhere});
  check_round_trip(system, instance_id{1ULL << 40});
  check_round_trip(
      system, route_query{.session = "s", .fresh = true, .counted = false, .tried = {{1}, {2}}});
  check_round_trip(system, ticket{{3}, affinity::moved_load});
  check_round_trip(system, route_answer{true, {{3}, affinity::hit}, no_route::all_tried});
  check_round_trip(system, turn_end{{4}, "s", turn_outcome::timed_out, "too slow"});
  check_round_trip(system, turn_end{.replica = {4}, .first_byte = 7ms});
  check_round_trip(system, pin_note{affinity::moved_gone, 3});
  check_round_trip(system, pin_state{{3}, true});
  check_round_trip(system, pin_ends{1, 2, 3});
  const pin_view pin{{1}, 2s, 3, 4, affinity::hit, affinity::moved_load, 5, 6s};
  check_round_trip(system, pin);
  check_round_trip(system, session_view{"a", pin, "b"});
  check_round_trip(system, one_view);
  check_round_trip(system, fleet_view{1, 2, 3, 4, {5, 6, 7}, {one_view, one_view}});
  check_round_trip(system, probe_result{probe_verdict::inconclusive, "no descriptors", true});
  check_round_trip(system, phase_report{{5}, phase::draining, true, "why"});
  check_round_trip(system, slot_report{3, {4}, slot_stage::unconfirmed, phase::ready, "r", "d"});
  const slot_spec slot{.name = "a-d1", .host = 2, .devices = {1}, .port = 8002, .address = "a"};
  check_round_trip(system,
                   pool_view{{one_view},
                             one_pool,
                             {{slot, "a", "/l/a-d1.log", slot_stage::loading, "reason", "why", 7s}},
                             {1, 2, 3, 4}});
  check_round_trip(system, log_answer{log_outcome::read, "text", 12, "why"});
  check_round_trip(system, grow_answer{grow_outcome::launch_failed, "why", one_view, one_pool});
  check_round_trip(system,
                   shrink_answer{shrink_outcome::unconfirmed, "slot", "reason", "why", one_pool});
  check_round_trip(system, release_answer{release_outcome::released, one_pool});
}

TEST_CASE("every enumerator that travels has a name") {
  check_names<phase>(4);
  check_names<affinity>(6);
  check_names<no_route>(3);
  check_names<turn_outcome>(6);
  check_names<probe_verdict>(4);
  check_names<slot_stage>(11);
  check_names<grow_outcome>(7);
  check_names<shrink_outcome>(5);
  check_names<release_outcome>(4);
}
