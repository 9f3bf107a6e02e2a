// SPDX-License-Identifier: MIT
// The parser and docs/fleet.schema.json judge the same files: this is the parser, schema_check is
// the schema.
#include "fleet/config/fleet_file.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace json = boost::json;

std::string text_of(const std::string& name) {
  std::ifstream in(FLEET_SOURCE_DIR + ("/" + name));
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// A case is a fleet file, or the text of one where values could not show what is wrong.
void judge(const json::array& cases, bool good) {
  for (const auto& each : cases) {
    const auto* raw = each.if_string();
    const std::string text = raw != nullptr ? std::string(raw->data(), raw->size())
                                            : std::string(json::serialize(each).c_str());
    CAPTURE(text);
    const auto fleet = fleet::parse_fleet(text, "fleet.json");
    CHECK_MESSAGE(fleet.ok() == good, (fleet.ok() ? "accepted" : fleet.error()));
  }
}

}  // namespace

TEST_CASE("the parser judges fleet files as the schema does, and has some rules of its own") {
  const auto all = json::parse(text_of("tests/config/fleet_cases.json"));
  CHECK(all.at("good").as_array().size() >= 20);
  CHECK(all.at("bad").as_array().size() >= 40);
  judge(all.at("good").as_array(), true);
  judge(all.at("bad").as_array(), false);
  for (const auto& rule : all.at("bad for the parser alone").as_object()) {
    judge(rule.value().as_array(), false);
  }
}

TEST_CASE("the schema has every key of the fleet file, and no other") {
  const auto definitions = json::parse(text_of("docs/fleet.schema.json")).at("$defs");
  const auto source = text_of("src/config/entries.cpp");
  const std::regex read(R"re((?:in\.[a-z_]+\(|\(in, )"([a-z_]+)")re");
  std::set<std::string> parsed;
  for (std::sregex_iterator at(source.begin(), source.end(), read), end; at != end; ++at) {
    parsed.insert((*at)[1].str());
  }
  std::set<std::string> declared;
  for (const auto* entry : {"replica", "host"}) {
    for (const auto& key : definitions.at(entry).at("properties").as_object()) {
      declared.insert(std::string(key.key()));
    }
  }
  CHECK(parsed == declared);
}
