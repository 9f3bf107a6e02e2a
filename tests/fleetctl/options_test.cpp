// SPDX-License-Identifier: MIT
// fleetctl's command line.
#include "options.hpp"

#include "support/temp_file.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace fleet;
using namespace fleet::ctl;
using fleet::test::temp_file;

namespace {

using variables = std::map<std::string, std::string>;
using words = std::vector<std::string>;

std::variant<invocation, early_exit> parse(const words& given, const variables& env = {}) {
  std::vector<const char*> argv{"fleetctl"};
  for (const auto& word : given) {
    argv.push_back(word.c_str());
  }
  return parse_options(static_cast<int>(argv.size()), argv.data(),
                       [&env](const char* name) -> std::optional<std::string> {
                         const auto found = env.find(name);
                         return found == env.end() ? std::nullopt : std::optional(found->second);
                       });
}

invocation good(const words& given, const variables& env = {}) {
  const auto read = parse(given, env);
  if (const auto* early = std::get_if<early_exit>(&read)) {
    FAIL(early->text);
  }
  return std::get<invocation>(read);
}

early_exit refused(const words& given, const variables& env = {}) {
  const auto read = parse(given, env);
  REQUIRE(std::holds_alternative<early_exit>(read));
  return std::get<early_exit>(read);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("options stand before or behind the command") {
  for (const auto& given : {words{"-o", "wide", "replicas"}, words{"replicas", "-owide"},
                            words{"replicas", "--output=wide"}}) {
    const auto asked = good(given);
    CHECK(asked.what->name == "replicas");
    CHECK(asked.output == output_format::wide);
  }
}

TEST_CASE("the router is --router, else FLEETCTL_ROUTER, else port 8000 here") {
  const variables env{{"FLEETCTL_ROUTER", "https://gate"}};
  CHECK(good({"status"}).router.text() == "http://127.0.0.1:8000");
  CHECK(good({"status"}, env).router.text() == "https://gate:443");
  CHECK(good({"status", "--router", "h:9/"}, env).router.text() == "http://h:9");
}

TEST_CASE("the token is --token, else --token-file, else FLEETCTL_TOKEN") {
  const variables env{{"FLEETCTL_TOKEN", "from-env"}};
  const temp_file file("from-file\n");
  CHECK(good({"status"}).token.empty());
  CHECK(good({"status"}, env).token == "from-env");
  CHECK(good({"status", "--token-file", file.path()}, env).token == "from-file");
  CHECK(good({"status", "--token-file", file.path(), "--token", "T"}, env).token == "T");
}

TEST_CASE("a token never shows in an error") {
  for (const auto& given :
       {words{"status", "--tokn=s3cret"}, words{"status", "--token", "s3cret with blanks"},
        words{"status", "--no-color=s3cret"}, words{"status", "--router", "http://u:s3cret@h"},
        words{"nonsense", "--token", "s3cret"}}) {
    const auto early = refused(given);
    CHECK(early.status == 2);
    CHECK_FALSE(has(early.text, "s3cret"));
  }
  CHECK_FALSE(has(refused({"status"}, {{"FLEETCTL_TOKEN", "s3\ncret"}}).text, "cret"));
}

TEST_CASE("a command gets only its own options and operands, exit 2 otherwise") {
  const std::vector<std::pair<words, std::string>> table{
      {{"status", "--wait"}, "status does not take --wait"},
      {{"status", "a"}, "status takes nothing more, got 'a'"},
      {{"release"}, "release needs SLOT"},
      {{"remove"}, "remove needs NAME..."},
      {{"scale", "many"}, "scale many: expected a whole number"},
      {{"add", "a", "-n", "2"}, "not both"},
      {{"add", "-n", "0"}, "--count 0: expected a whole number from 1"},
      {{"status", "-o", "yaml"}, "expected table, wide, json or name"},
      {{"status", "--timeout", "0"}, "expected seconds above 0"},
      {{"status", "--wrong"}, "--wrong"},
      {{"stauts"}, "did you mean 'status'?"},
      {{"x\x1b[31m"}, "'x?[31m'"},
      {{"status", "--router", "ftp://h"}, "expected http://HOST"},
  };
  for (const auto& [given, says] : table) {
    const auto early = refused(given);
    CAPTURE(early.text);
    CHECK(early.status == 2);
    CHECK(has(early.text, says));
  }
}

TEST_CASE("what a command takes arrives") {
  const auto asked = good({"add", "-n", "3", "--wait", "--timeout", "1.5", "--no-color"});
  CHECK(asked.count == 3);
  CHECK(asked.wait);
  CHECK(asked.timeout == std::chrono::milliseconds(1500));
  CHECK_FALSE(asked.colour);
  CHECK(good({"status"}).colour);
  CHECK_FALSE(good({"status"}, {{"NO_COLOR", "1"}}).colour);
  CHECK(good({"status"}, {{"NO_COLOR", ""}}).colour);
  CHECK(good({"scale", "0"}).scale_to == 0);
  CHECK(good({"logs", "a", "-f", "--tail", "7"}).tail == 7);
  CHECK(good({"remove", "a", "b", "--no-wait"}).operands == words{"a", "b"});
}

TEST_CASE("help and version need no router, an empty command line is a usage error") {
  CHECK(refused({"--help"}).status == 0);
  CHECK(refused({"help"}).text == refused({"-h"}).text);
  CHECK(refused({"help", "add"}).text == refused({"add", "--help"}).text);
  CHECK(has(refused({"add", "--help"}).text, "usage: fleetctl add [-n N] [--wait] [SLOT]"));
  CHECK(refused({"--version"}).text == "fleetctl " + version() + "\n");
  CHECK(refused({}).status == 2);
  for (const auto& each : commands()) {
    CHECK(has(refused({"help"}).text, "  " + each.name));
    CHECK(refused({"help", each.name}).status == 0);
  }
}

TEST_CASE("a router URL has a host, and may have scheme, port and prefix") {
  const std::vector<std::pair<std::string, std::string>> table{
      {"h", "http://h:8000"},
      {"h:1", "http://h:1"},
      {"http://[::1]:9", "http://[::1]:9"},
      {"[::1]", "http://[::1]:8000"},
      {"https://h/p/q/", "https://h:443/p/q"}};
  for (const auto& [text, url] : table) {
    const auto read = parse_router_url(text);
    REQUIRE(read.ok());
    CHECK(read->text() == url);
  }
  for (const auto* text : {"", "http://", "h:", "h:0", "h:70000", "h:1x", "[::1", "[::1]x", "a b",
                           "h/\r\nX: y", "ws://h"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_router_url(text).ok());
  }
}
