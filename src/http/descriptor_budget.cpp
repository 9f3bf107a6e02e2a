// SPDX-License-Identifier: MIT
#include "descriptor_budget.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace fleet::http {

namespace {

/// Standard input and output, files that are written, look-ups of names, reads of /proc.
constexpr std::size_t for_process = 12;
/// What its loop waits with, its listener, and the client on top with its connection to a replica.
constexpr std::size_t for_lane = 6;
constexpr std::size_t least_left = 4;

}  // namespace

descriptor_budget share_descriptors(std::size_t limit, std::size_t lanes, std::size_t fleet) {
  const auto taken = for_process + lanes * for_lane + std::min(fleet, limit / 4);
  const auto left = std::max(limit, taken + least_left) - taken;
  const auto pooled = left / 16;
  return {.clients = (left - pooled) / 2, .pooled = pooled / lanes, .tight = taken > limit / 2};
}

std::size_t descriptor_limit() {
  static constexpr std::size_t plenty = 4'000'000;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return plenty;
  }
  return limit.rlim_cur;
}

}  // namespace fleet::http
