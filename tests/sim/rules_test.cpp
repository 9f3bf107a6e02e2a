// SPDX-License-Identifier: MIT
// Each rule catches the fault that was planted into the world against it.
#include "sim/world/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace fleet::sim;

namespace {

// Whether one of the first seeds breaks this rule before any other.
bool breaks(sabotage harm, const std::string& rule) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    if (const auto end = run_seed(seed, 0, harm); end.broken && end.broken->rule == rule)
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a second process on the same devices is seen") {
  CHECK(breaks(sabotage::second_process, rules::one_process));
}

TEST_CASE("a launch onto a process that only seems to be gone is seen") {
  CHECK(breaks(sabotage::false_silence, rules::held_device));
}

TEST_CASE("a process that the router knows nothing of is seen") {
  CHECK(breaks(sabotage::hidden_process, rules::listed));
}

TEST_CASE("an admin call that is never answered is seen") {
  CHECK(breaks(sabotage::mute_commander, rules::one_answer));
}

TEST_CASE("a turn to a replica that is down is seen") {
  CHECK(breaks(sabotage::lying_probe, rules::ready_only));
}

TEST_CASE("a turn to a replica that left is seen") {
  CHECK(breaks(sabotage::stale_answers, rules::members_only));
}

TEST_CASE("a turn that is never given back is seen") {
  CHECK(breaks(sabotage::lost_turn, rules::counts));
}

TEST_CASE("a turn that is given back twice is seen") {
  CHECK(breaks(sabotage::double_finish, rules::counts));
}

TEST_CASE("a launch that no loss and no operator explains is seen") {
  CHECK(breaks(sabotage::secret_operator, rules::waits));
}

TEST_CASE("a slot that is unconfirmed although its end was confirmed is seen") {
  CHECK(breaks(sabotage::impatient_stop, rules::true_reason));
}

TEST_CASE("a launch without a record on the disk is seen") {
  CHECK(breaks(sabotage::forgetful_disk, rules::record_first));
}

TEST_CASE("a replica that is replaced although it is well is seen") {
  CHECK(breaks(sabotage::slander, rules::patience));
}

TEST_CASE("a turn that is refused while a replica is ready is seen") {
  CHECK(breaks(sabotage::slander, rules::use_ready));
}

TEST_CASE("a record that outlives an orderly shutdown is seen") {
  CHECK(breaks(sabotage::sticky_disk, rules::clean_end));
}

TEST_CASE("an actor that dies by itself is seen") {
  CHECK(breaks(sabotage::mortal_prober, rules::no_defect));
}

TEST_CASE("a fleet that never comes to rest is seen") {
  CHECK(breaks(sabotage::endless_illness, rules::rest));
}
