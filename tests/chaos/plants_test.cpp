// SPDX-License-Identifier: MIT
// Each rule of the storm catches the fault that is planted for it.
#include "chaos/storm/plant.hpp"
#include "system/support/program_run.hpp"
#include "system/support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace fleet::rig;

namespace {

program_run play(std::vector<std::string> flags) {
  const temp_dir folder;
  std::vector<std::string> argv{FLEET_CHAOS_BINARY, "--folder", folder.path(), "--clients", "4"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return run_program(std::move(argv));
}

// A run without random faults, in which this one is planted, breaks a rule that says so.
void caught(const std::string& plant, std::string_view rule) {
  CAPTURE(plant);
  const auto out = play({"--plant", plant});
  CAPTURE(out.text);
  CHECK(out.status == 1);
  const auto broken = out.text.find("---- broken rules");
  REQUIRE(broken != std::string::npos);
  CHECK(out.text.find(rule, broken) != std::string::npos);
  CHECK(out.tells("the router's log ends"));
  CHECK(out.tells("seed 1"));
}

}  // namespace

TEST_CASE("a run in which nothing goes wrong breaks no rule") {
  const auto out = play({"--seconds", "0"});
  CAPTURE(out.text);
  CHECK(out.status == 0);
  CHECK(out.tells("no rule broken"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("the clock that a storm steps is that of the processes it is loaded into") {
  const temp_dir folder;
  const std::int64_t day = 24 * 60 * 60;
  const auto file = folder.write(
      "clock", {reinterpret_cast<const char*>(&day), sizeof day});  // as the storm writes it
  child_process run{{.argv = {"date", "+%s"},
                     .env = {{"LD_PRELOAD", FLEET_CLOCK_LIBRARY}, {"FLEET_CLOCK_FILE", file}}}};
  REQUIRE(run.wait_exit().value_or(-1) == 0);
  run.drain();
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  CHECK(std::abs(std::stoll(run.output_text()) - now - day) < 60);
}
#endif

TEST_CASE("an answer that lacks a piece is caught") {
  caught("lost_piece", "another one or lacks pieces");
}

TEST_CASE("an answer of another conversation is caught") {
  caught("swapped", "another one or lacks pieces");
}

TEST_CASE("a truncation that no harm explains is caught") {
  caught("cut", "nor the router was harmed");
}

TEST_CASE("an error that is not documented is caught") {
  caught("odd_error", "not the router's");
}

TEST_CASE("two processes on a device are caught") {
  caught("twin", "two live processes on one device");
}

TEST_CASE("a process on a slot that is taken for free is caught") {
  caught("orphan", "neither listed, reserved nor recorded");
}

TEST_CASE("a replica that the state file forgets is caught while the router is down") {
  caught("unrecorded", "not on record while the router is down");
}

TEST_CASE("a conversation that changes its replica in calm is caught") {
  caught("moved", "moved from");
}

TEST_CASE("a request that stays outstanding is caught") {
  caught("held_turn", "outstanding is not 0");
}

TEST_CASE("connections that stay open are caught") {
  caught("leak", "descriptors at rest");
}

TEST_CASE("a router that does not end with 0 is caught") {
  caught("hard_end", "the router ended with 137");
}

TEST_CASE("a process that outlives the router's orderly end is caught") {
  caught("left_over", "outlives the router's orderly end");
}
