// SPDX-License-Identifier: MIT
#include "sim/world/scale.hpp"

#include "sim/world/world.hpp"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace fleet::sim {

namespace {

constexpr std::size_t slots_each = 8;

// Peak resident memory in MiB; 0 where that is not told.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::size_t kib = 0;
    if (word == "VmHWM:" && status >> kib)
      return kib / 1024;
  }
  return 0;
}

}  // namespace

scale_cost run_large(std::size_t slots, duration time) {
  const auto hosts = std::max<std::size_t>(1, slots / slots_each);
  world w(large_shape(hosts, std::min(slots, slots_each)), 1, 0, sabotage::none);
  auto& s = w.shared();
  s.calm = true;
  w.look_away();
  scale_cost cost{.slots = s.made_of.slots.size()};
  w.start_router();
  w.play(2min);
  cost.start_messages = w.messages();
  const auto begin = std::chrono::steady_clock::now();
  const auto until = s.now + time;
  while (s.now < until) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, cost.slots / 100); ++i) {
      s.after(s.luck.between(0s, 60s), [&] {
        const auto on = w.there().living_on(s.luck.pick(s.made_of.slots).name);
        if (on.empty())
          return;
        ++cost.deaths;
        w.there().end(on.front(), {.signal = 9});
      });
    }
    w.play(60s);
  }
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.messages = w.messages() - cost.start_messages;
  w.play(10min);
  cost.serving = w.there().living().size();
  return cost;
}

std::string measure_scale(std::size_t slots) {
  const auto cost = run_large(slots, 1h);
  const auto messages = static_cast<double>(cost.messages);
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << cost.slots << " slots, one hour, " << cost.deaths
       << " deaths: " << cost.seconds << " s, " << messages / 3600 << " messages a second, "
       << std::setprecision(2) << messages / 3600 / static_cast<double>(cost.slots)
       << " for each slot, " << cost.seconds / messages * 1e6 << " us a message, " << peak_memory()
       << " MiB; " << cost.serving << " alive in the end\n";
  return text.str();
}

}  // namespace fleet::sim
