// SPDX-License-Identifier: MIT
// The manual pages know every flag and every key of the fleet file.
#include "flags.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>

namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(FLEET_SOURCE_DIR + ("/" + name));
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("pypto-serving-router(1) has every flag") {
  const auto page = text_of("docs/man/pypto-serving-router.1");
  for (const auto& each : fleet::all_flags()) {
    CAPTURE(each.name);
    const auto name = std::regex_replace(each.name, std::regex("-"), "\\-");
    CHECK(page.find("\\-\\-" + name) != std::string::npos);
  }
}

TEST_CASE("fleet-file(5) has every key") {
  const auto page = text_of("docs/man/fleet-file.5");
  const auto source = text_of("src/config/entries.cpp");
  const std::regex read(R"re((?:in\.[a-z_]+\(|\(in, )"([a-z_]+)")re");
  std::size_t keys = 0;
  for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at) {
    ++keys;
    CAPTURE(at->str());
    CHECK(page.find("\n.B " + (*at)[1].str() + "\n") != std::string::npos);
  }
  CHECK(keys > 20);
}
