// SPDX-License-Identifier: MIT
#include "fleet/core/placeholders.hpp"

#include <doctest/doctest.h>

namespace {

fleet::placeholder_values two_devices() {
  const fleet::host_spec host{.model = "/m/Qwen3 {port}", .served_model_name = "qwen"};
  return fleet::placeholders_of(host, {.name = "n-d4", .devices = {4, 5}, .port = 8005});
}

}  // namespace

TEST_CASE("the placeholders expand each time they occur, every other brace is literal") {
  const auto values = two_devices();
  const std::pair<const char*, const char*> table[] = {
      {"", ""},
      {"plain", "plain"},
      {"{device}", "4"},
      {"{devices}", "4,5"},
      {"{port}-{port}", "8005-8005"},
      {"{{device}}", "{4}"},
      {"{{{devices}}", "{{4,5}"},
      {R"({"a":1})", R"({"a":1})"},
      {R"({"d":{device},"p":"{port}"})", R"({"d":4,"p":"8005"})"},
      {"{unknown}", "{unknown}"},
      {"{Device} { device } {device", "{Device} { device } {device"},
      {"device} {}{", "device} {}{"},
      {"b_d{device}", "b_d4"},
      {"{served_model_name}", "qwen"},
      {"${device} $HOME %s", "$4 $HOME %s"},
  };
  for (const auto& [text, expanded] : table) {
    CAPTURE(text);
    CHECK(fleet::expand(text, values) == expanded);
  }
}

TEST_CASE("what a placeholder stands for is not expanded again") {
  CHECK(fleet::expand("{model}", two_devices()) == "/m/Qwen3 {port}");
}

TEST_CASE("without a served model name its placeholder is empty") {
  const auto values = fleet::placeholders_of({.model = "m"}, {.devices = {0}, .port = 1});
  CHECK(fleet::expand("<{served_model_name}>", values) == "<>");
}
