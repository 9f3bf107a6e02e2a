// SPDX-License-Identifier: MIT
#include "fleet/core/replica_health.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using fleet::phase;
using fleet::replica_health;

namespace {

// g: good probe, b: bad probe, l: lost. The initials of the phase after each.
std::string phases(std::string_view events) {
  replica_health health;
  std::string seen;
  for (const char e : events) {
    if (e == 'g')
      health.good_probe();
    else if (e == 'b')
      health.bad_probe("answered 503");
    else
      health.lost("connection refused");
    seen += to_string(health.now())[0];
  }
  return seen;
}

}  // namespace

TEST_CASE("every move of a replica's phase, and every one it does not make") {
  CHECK(phases("bbb") == "sss");      // never answered yet
  CHECK(phases("l") == "s");          // cannot lose what it never had
  CHECK(phases("g") == "r");          // the first good probe
  CHECK(phases("gbgbg") == "rrrrr");  // D58: one miss between good ones
  CHECK(phases("gbb") == "rrf");      // two consecutive failures take it out
  CHECK(phases("gbbg") == "rrfr");    // the first success returns it
  CHECK(phases("gbbgbb") == "rrfrrf");
  CHECK(phases("gl") == "rf");  // a turn that could not connect is enough
  CHECK(phases("glbg") == "rffr");
  CHECK(phases("gblgb") == "rrfrr");  // counting starts anew
}

TEST_CASE("the reason says why it is not ready and is empty when it is") {
  replica_health health;
  CHECK(health.bad_probe("connection refused"));
  CHECK(health.reason() == "connection refused");
  CHECK_FALSE(health.bad_probe("connection refused"));
  CHECK(health.good_probe());
  CHECK(health.reason().empty());
  CHECK_FALSE(health.bad_probe("answered 503"));
  CHECK(health.reason().empty());
  CHECK(health.bad_probe("answered 503"));
  CHECK(health.reason() == "answered 503");
  CHECK(health.bad_probe("timed out"));
  CHECK(health.reason() == "timed out");
}
