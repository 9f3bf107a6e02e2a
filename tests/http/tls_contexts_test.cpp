// SPDX-License-Identifier: MIT
#include "tls_contexts.hpp"

#include <doctest/doctest.h>

using namespace fleet;
using namespace fleet::http;

TEST_CASE("a CA bundle is read once for all lanes and all replicas that trust it") {
  tls_contexts tls;
  error_code ec;
  const auto first = tls.find({.host = "a", .port = 1, .tls = true}, ec);
  REQUIRE(first != nullptr);
  CHECK(tls.find({.host = "b", .port = 2, .tls = true}, ec) == first);
  CHECK(tls.find({.host = "a", .port = 1, .tls = true, .insecure_skip_verify = true}, ec) != first);
  CHECK(tls.find({.host = "a", .port = 1}, ec) == nullptr);
  CHECK(!ec);
  CHECK(tls.find({.host = "a", .port = 1, .tls = true, .ca_file = "/no/such"}, ec) != first);
  CHECK(ec);
}
