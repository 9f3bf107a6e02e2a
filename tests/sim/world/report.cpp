// SPDX-License-Identifier: MIT
#include "sim/world/report.hpp"

#include <iomanip>
#include <sstream>

namespace fleet::sim {

std::string report(std::uint64_t seed, const outcome_of_run& end, std::size_t lines) {
  if (!end.broken)
    return {};
  const auto again = run_seed(seed, lines);
  std::ostringstream text;
  for (const auto& x : again.last)
    text << x << '\n';
  if (again.hash != end.hash)
    text << "the run was not the same the second time\n";
  text << "seed " << seed << " at " << std::fixed << std::setprecision(3)
       << std::chrono::duration<double>(end.broken->at).count() << " s: " << end.broken->rule
       << ": " << end.broken->detail << '\n';
  return text.str();
}

}  // namespace fleet::sim
