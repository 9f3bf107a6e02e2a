// SPDX-License-Identifier: MIT
#include "json_text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string error_of(std::string_view text) {
  const auto result = fleet::parse_json_text(text, "f.json");
  return result.ok() ? std::string{} : result.error();
}

}  // namespace

TEST_CASE("a JSON syntax error names line and column") {
  const std::pair<const char*, const char*> table[] = {
      {"", "f.json: line 1, column 1: incomplete JSON"},
      {"x", "f.json: line 1, column 1: syntax error"},
      {"{\"a\": x}", "f.json: line 1, column 7: syntax error"},
      {"{\n  \"a\": 1,\n}", "f.json: line 3, column 1: syntax error"},
      {"{\n  \"a\": 1\n  \"b\": 2}", "f.json: line 3, column 3: syntax error"},
      {"[1,\n2", "f.json: line 2, column 2: incomplete JSON"},
      {"{} {}", "f.json: line 1, column 4: extra data"},
      {"{}\n\nx", "f.json: line 3, column 1: extra data"},
      {"// no\n{}", "f.json: line 1, column 1: syntax error"},
      {"\"\xff\"", "f.json: line 1, column 2: syntax error"},
      {"\xef\xbb\xbf{}", "f.json: line 1, column 1: syntax error"},
  };
  for (const auto& [text, line] : table) {
    CHECK(error_of(text) == line);
  }
}

TEST_CASE("a key given twice in one object is refused with its place") {
  const std::pair<const char*, const char*> table[] = {
      {R"({"a":1,"a":1})", "f.json: a: given twice"},
      {R"({"hosts":[{},{"model":"m","x":{},"model":"n"}]})", "f.json: hosts[1].model: given twice"},
      {R"({"a":[[0,{"b":1,"b":2}]]})", "f.json: a[0][1].b: given twice"},
      {R"({"a":1,"\u0061":2})", "f.json: a: given twice"},
      {R"({"":1,"":2})", "f.json: \"\": given twice"},
  };
  for (const auto& [text, line] : table) {
    CHECK(error_of(text) == line);
  }
  CHECK(error_of(R"([{"a":{"a":1}},{"a":1}])").empty());
}

TEST_CASE("a hostile text neither hangs nor crashes the parser") {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(error_of(deep) == "f.json: line 1, column 33: too deep");
  std::string wide = "{";
  for (int i = 0; i < 100'000; ++i) {
    wide += "\"k" + std::to_string(i) + "\":0,";
  }
  CHECK(error_of(wide + "\"k0\":1}") == "f.json: k0: given twice");
  CHECK_FALSE(error_of("[1e99999999999999999999]").empty());
}
