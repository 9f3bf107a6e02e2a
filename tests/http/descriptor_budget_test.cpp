// SPDX-License-Identifier: MIT
// What clients, replicas and the fleet's commands may use of the process's file descriptors.
#include "descriptor_budget.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using namespace fleet::http;

TEST_CASE("clients, their connections to replicas and idle ones leave descriptors for the rest") {
  for (const std::size_t limit : {64UL, 256UL, 1024UL, 65'536UL, 1'048'576UL}) {
    for (const std::size_t lanes : {1UL, 2UL, 4UL}) {
      for (const std::size_t fleet : {0UL, 10UL, 200UL}) {
        CAPTURE(limit);
        CAPTURE(lanes);
        CAPTURE(fleet);
        const auto budget = share_descriptors(limit, lanes, fleet);
        const auto most = 2 * (budget.clients + lanes) + lanes * budget.pooled;
        const auto fixed = 4 * lanes + 12 + std::min(fleet, limit / 4);
        CHECK(most + fixed <= limit);
        CHECK(budget.clients >= limit / 16);
      }
    }
  }
}

TEST_CASE("a limit that leaves nothing still lets somebody in") {
  CHECK(share_descriptors(8, 1, 0).clients == 2);
  CHECK(share_descriptors(1024, 512, 10'000).clients == 2);
}

TEST_CASE("lanes that take more than half of the descriptors for themselves are told of") {
  CHECK(share_descriptors(1024, 512, 10'000).tight);
  CHECK(share_descriptors(64, 8, 0).tight);
  CHECK_FALSE(share_descriptors(1024, 32, 10'000).tight);
  CHECK_FALSE(share_descriptors(64, 2, 0).tight);
}

TEST_CASE("a large fleet never takes more than a quarter of the descriptors") {
  CHECK(share_descriptors(1024, 2, 10'000).clients == share_descriptors(1024, 2, 256).clients);
  CHECK(share_descriptors(1024, 2, 256).clients < share_descriptors(1024, 2, 10).clients);
}
