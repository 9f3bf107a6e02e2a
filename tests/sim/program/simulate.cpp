// SPDX-License-Identifier: MIT
// Runs seeds of the simulated fleet, or one fleet of a given size: see tools/simulate.
#include "sim/world/report.hpp"
#include "sim/world/scale.hpp"
#include "sim/world/world.hpp"

#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace fleet::sim;

// --name value pairs; the script has checked them.
std::map<std::string, std::uint64_t> read(int argc, char** argv) {
  std::map<std::string, std::uint64_t> given{{"--seeds", 1},  {"--first", 1}, {"--stride", 1},
                                             {"--steps", 60}, {"--scale", 0}, {"--harm", 0}};
  for (int i = 1; i + 1 < argc; i += 2)
    given[argv[i]] = std::stoull(argv[i + 1]);
  return given;
}

void show(std::uint64_t seed, const outcome_of_run& end) {
  std::cout << "seed " << seed << ": " << end.messages << " messages, " << end.launches
            << " launches, " << end.lives << " starts of the router in "
            << std::chrono::duration_cast<std::chrono::seconds>(end.lasted).count()
            << " simulated seconds, trace " << std::hex << end.hash << std::dec << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = read(argc, argv);
  if (const auto slots = given.at("--scale"); slots > 0) {
    std::cout << measure_scale(slots) << std::flush;
    return 0;
  }
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < given.at("--seeds"); ++i) {
    const auto seed = given.at("--first") + i * given.at("--stride");
    const auto end = run_seed(seed, 0, static_cast<sabotage>(given.at("--harm")));
    if (given.at("--harm") > 0 && end.broken)
      std::cout << seed << " " << end.broken->rule << ": " << end.broken->detail << std::endl;
    if (given.at("--seeds") == 1)
      show(seed, end);
    if (!end.broken)
      continue;
    ++failed;
    std::cout << report(seed, end, given.at("--steps")) << std::endl;
  }
  return failed == 0 ? 0 : 1;
}
