// SPDX-License-Identifier: MIT
// A short soak is flat, and one with a leak is not.
#include "soak/load/growth.hpp"
#include "system/support/program_run.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fleet;
using namespace fleet::rig;

namespace {

program_run run_soak(const std::vector<std::string>& flags) {
  std::vector<std::string> argv{FLEET_SOAK_BINARY};
  argv.insert(argv.end(), flags.begin(), flags.end());
  return run_program(std::move(argv));
}

bool memory_grows(const program_run& out) {
  return out.text.find("GROWS", out.text.find("memory ")) < out.text.find("descriptors  from");
}

}  // namespace

TEST_CASE("twenty seconds of mixed load leave the router's memory and descriptors flat") {
  auto out = run_soak({"--seconds", "20"});
  // On a starved machine a cold router's memory settles later than the warm-up ends; a leak grows
  // in each run.
  for (int again = 0; again < 2 && memory_grows(out); ++again)
    out = run_soak({"--seconds", "20"});
  CAPTURE(out.text);
  CHECK(out.status == 0);
  CHECK(out.tells("all back"));
}

TEST_CASE("connections that are kept show as growing descriptors") {
  const auto out = run_soak({"--seconds", "8", "--plant", "connections"});
  CAPTURE(out.text);
  CHECK(out.status == 1);
  CHECK(out.text.find("GROWS", out.text.find("descriptors  from")) != std::string::npos);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("bytes that are kept show as growing memory") {
  const auto out = run_soak({"--seconds", "8", "--plant", "body"});
  CAPTURE(out.text);
  CHECK(out.status == 1);
  CHECK(memory_grows(out));
}
#endif

TEST_CASE("the growth is that of the line of least squares") {
  const auto line = soak::trend_of({{10, 5}, {20, 7}, {30, 6}, {40, 8}});
  CHECK(line.begin == doctest::Approx(5.3));
  CHECK(line.growth == doctest::Approx(2.4));
  CHECK(line.per_hour() == doctest::Approx(288));
  CHECK(soak::trend_of({{1, 5}}).growth == 0);
  CHECK(soak::trend_of({}).growth == 0);
}
