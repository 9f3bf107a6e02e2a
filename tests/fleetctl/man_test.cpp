// SPDX-License-Identifier: MIT
// The manual page says all that the help says.
#include "commands.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using namespace fleet::ctl;

namespace {

std::string roff(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

TEST_CASE("fleetctl(1) has every command and every option") {
  std::ifstream in(FLEET_SOURCE_DIR "/docs/man/fleetctl.1");
  const std::string page{std::istreambuf_iterator<char>{in}, {}};
  for (const auto& each : commands()) {
    CAPTURE(each.name);
    const bool there = page.find("\n.B " + each.name + "\n") != std::string::npos ||
                       page.find("\n.BR " + each.name + " ") != std::string::npos ||
                       page.find("\n.BI " + each.name + " ") != std::string::npos;
    CHECK(there);
  }
  for (const auto* table : {&global_options(), &command_options()}) {
    for (const auto& each : *table) {
      CAPTURE(each.name);
      CHECK(page.find(roff("--" + each.name)) != std::string::npos);
    }
  }
}
