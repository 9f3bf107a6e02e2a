// SPDX-License-Identifier: MIT
#include "fleet/core/replica.hpp"

#include <doctest/doctest.h>

TEST_CASE("an IPv6 host stands in brackets in the authority and the url") {
  CHECK(fleet::authority({.host = "::1", .port = 8001}) == "[::1]:8001");
  CHECK(fleet::url({.host = "10.0.0.2", .port = 80, .tls = true}) == "https://10.0.0.2:80");
}
