// SPDX-License-Identifier: MIT
// The real router under a steady mixed load, see tools/soak.
#include "soak/load/crowd.hpp"
#include "soak/load/growth.hpp"
#include "system/support/all.hpp"
#include "system/support/launched_fleet.hpp"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace {

using namespace fleet;
using namespace fleet::soak;
using rig::clock;
using namespace std::chrono_literals;

// What the lines may rise by while it is measured. Allocators and pools breathe; a leak does not
// stop.
constexpr double memory_bound_kib = rig::growth_kib(1024);
constexpr double descriptor_bound = 5;
constexpr std::size_t pins_kept = 500;

struct setup {
  std::chrono::seconds span{60};
  std::size_t clients = 2;
  plant planted = plant::none;
};

std::optional<setup> read_flags(int argc, char** argv) {
  setup out;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    std::size_t number = 0;
    const auto [stop, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = failed == std::errc{} && stop == value.data() + value.size();
    if (flag == "--seconds" && is_number && number >= 4)
      out.span = std::chrono::seconds{number};
    else if (flag == "--clients" && is_number && number >= 1)
      out.clients = number;
    else if (flag == "--plant" && value == "connections")
      out.planted = plant::connections;
    else if (flag == "--plant" && value == "body")
      out.planted = plant::body;
    else
      return std::nullopt;
  }
  return out;
}

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// What was sampled while the load was steady.
struct record {
  std::vector<sample> memory;
  std::vector<sample> descriptors;
};

// Samples until `span` is over; what comes in the first quarter only warms up. A line for each
// minute, as nobody watches twenty silent ones.
record watch(rig::child_process& router, const crowd& load, std::chrono::seconds span) {
  record out;
  const auto begin = clock::now();
  const auto whole = std::chrono::duration<double>(span).count();
  double next_line = 0;
  for (double now = 0; now < whole && router.running(); now = seconds_since(begin)) {
    const auto kib = static_cast<double>(router.resident_kib());
    const auto files = static_cast<double>(router.descriptors());
    if (now >= whole / 4) {
      out.memory.push_back({now, kib});
      out.descriptors.push_back({now, files});
    }
    if (now >= next_line) {
      std::printf("%6.0f s  %8.0f KiB  %4.0f descriptors  %9llu requests\n", now, kib, files,
                  static_cast<unsigned long long>(load.done()));
      std::fflush(stdout);
      next_line += 60;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  return out;
}

bool judge(const char* what, const char* unit, const std::vector<sample>& samples, double bound) {
  const auto line = trend_of(samples);
  const bool good = line.growth <= bound;
  std::printf("%-12s from %.1f, %+.2f %s in %.0f s (%+.2f an hour); at most %+.0f: %s\n", what,
              line.begin, line.growth, unit, line.seconds, line.per_hour(), bound,
              good ? "flat" : "GROWS");
  return good;
}

bool judge(const crowd& load) {
  for (std::size_t i = 0; i < habit_names.size(); ++i)
    std::printf("%-12s %9llu requests\n", std::string{habit_names[i]}.c_str(),
                static_cast<unsigned long long>(load.done(static_cast<habit>(i))));
  const auto odd = load.odd();
  for (const auto& [what, count] : odd)
    std::printf("ODD %s: %llu times\n", what.c_str(), static_cast<unsigned long long>(count));
  return odd.empty();
}

bool play(const setup& given) {
  rig::launched_pool pool{{.devices = 2, .args = {"--tokens", "8", "--token-delay-ms", "2"}},
                          {"--initial-replicas", "2", "--max-sessions", std::to_string(pins_kept)}};
  for (const char* name : {"n-d0", "n-d1"}) {
    if (!pool.ready(name)) {
      std::printf("%s does not get ready; the router's log:\n%s", name, pool.router->log().c_str());
      return false;
    }
  }
  auto& process = pool.router->process();
  const auto at_rest = process.descriptors();
  crowd load{pool.port(), given.clients, given.planted};
  const auto seen = watch(process, load, given.span);
  load.end();
  bool good = judge(load);
  good &= judge("memory", "KiB", seen.memory, memory_bound_kib);
  good &= judge("descriptors", "", seen.descriptors, descriptor_bound);
  const bool back = rig::becomes_idle(pool.port()) &&
                    rig::eventually([&] { return process.descriptors() <= at_rest + 2; }, 30s);
  std::printf("at rest      %zu descriptors, %zu before: %s\n", process.descriptors(), at_rest,
              back ? "all back" : "NOT BACK");
  const auto status = pool.router->stop(60s);
  if (status != 0)
    std::printf("THE ROUTER ended with %d; its log:\n%s", status, pool.router->log().c_str());
  return good && back && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = read_flags(argc, argv);
  if (!given) {
    std::fprintf(stderr,
                 "usage: fleet-soak [--seconds N] [--clients N] [--plant connections|body]\n");
    return 2;
  }
  return play(*given) ? 0 : 1;
}
