// SPDX-License-Identifier: MIT
#include "admin_token.hpp"

#include "support/temp_file.hpp"

#include "fleet/config/settings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using fleet::early_exit;
using fleet::settings;
using words = std::vector<std::string>;

namespace {

constexpr const char* variable = "PYPTO_ROUTER_ADMIN_TOKEN";

fleet::command_line parse(const words& arguments,
                          const std::optional<std::string>& in_environment) {
  std::vector<const char*> argv{"pypto-serving-router", "--replicas", "fleet.json"};
  for (const auto& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  return fleet::parse_command_line(static_cast<int>(argv.size()), argv.data(),
                                   [&](const char* name) {
                                     CHECK(std::string(name) == variable);
                                     return in_environment;
                                   });
}

std::string token_of(const fleet::command_line& result) {
  REQUIRE(std::holds_alternative<settings>(result));
  return std::get<settings>(result).admin_token;
}

std::string refusal_of(const fleet::command_line& result) {
  REQUIRE(std::holds_alternative<early_exit>(result));
  CHECK(std::get<early_exit>(result).status == 2);
  return std::get<early_exit>(result).text;
}

}  // namespace

TEST_CASE("the token is taken from the flag, then the file, then the environment") {
  const fleet::test::temp_file file("from-file\n");
  const words by_file{"--admin-token-file", file.path()};
  const words by_both{"--admin-token-file", file.path(), "--admin-token", "from-flag"};
  CHECK(token_of(parse(by_both, "from-env")) == "from-flag");
  CHECK(token_of(parse(by_file, "from-env")) == "from-file");
  CHECK(token_of(parse({}, "from-env")) == "from-env");
  CHECK(token_of(parse({}, std::nullopt)).empty());
}

TEST_CASE("one trailing newline of the token file is dropped") {
  const std::pair<const char*, const char*> table[] = {
      {"secret", "secret"}, {"secret\n", "secret"}, {"secret\r\n", "secret"}};
  for (const auto& [content, token] : table) {
    const fleet::test::temp_file file(content);
    CHECK(token_of(parse({"--admin-token-file", file.path()}, std::nullopt)) == token);
  }
}

TEST_CASE("an empty or unusable token is refused wherever it comes from, and never shown") {
  const words bad{"",         " ",           "hush hush",           "hush\n\n", "\nhush", "hush\t",
                  "hush\x01", "h\xc3\xbcsh", std::string(4097, 'h')};
  for (const auto& token : bad) {
    CAPTURE(token);
    const fleet::test::temp_file file(token);
    const auto by_flag = refusal_of(parse({"--admin-token", token}, std::nullopt));
    const auto by_file = refusal_of(parse({"--admin-token-file", file.path()}, std::nullopt));
    const auto by_env = refusal_of(parse({}, token));
    CHECK(by_flag.find("--admin-token: expected a token") != std::string::npos);
    CHECK(by_file.find("--admin-token-file: ") != std::string::npos);
    CHECK(by_env.find(variable) != std::string::npos);
    for (const auto& line : {by_flag, by_file, by_env}) {
      CHECK(line.find("hush") == std::string::npos);
      CHECK(line.find("hhh") == std::string::npos);
    }
  }
}

TEST_CASE("a token file that cannot be read is a usage error that names it") {
  const std::pair<const char*, const char*> table[] = {
      {"/nonexistent/token", "/nonexistent/token: No such file or directory"},
      {"/", "/: Is a directory"},
      {"/dev/zero", "/dev/zero: larger than"},
  };
  for (const auto& [path, part] : table) {
    CHECK(refusal_of(parse({"--admin-token-file", path}, "from-env")).find(part) !=
          std::string::npos);
  }
}

TEST_CASE("a token never shows in the complaint about another flag") {
  const auto line = refusal_of(parse({"--admin-token", "hush", "--port", "x"}, "hush"));
  CHECK(line.find("hush") == std::string::npos);
  CHECK(refusal_of(parse({"--admin-tokens=hush"}, {})).find("hush") == std::string::npos);
  CHECK(refusal_of(parse({"--admin-token=hush", "--admin-token=hush"}, {})).find("hush") ==
        std::string::npos);
}
