// SPDX-License-Identifier: MIT
// The state file as text. Contract section 8; spec: "If the router restarts".
#include "fleet/config/state_file.hpp"

#include "support/temp_file.hpp"

#include "fleet/core/timestamp.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace std::chrono_literals;
using namespace fleet;

namespace {

wall_time at(std::string_view text) {
  return parse_timestamp(text).value();
}

slot_record replica() {
  return {.slot = "n-d0",
          .host = "n",
          .ssh = "user@n",
          .devices = {0, 1},
          .address = "10.0.0.2",
          .port = 8001,
          .process = {.instance = "i1", .process_group = 4711, .birth = "17@b", .log_begin = 5},
          .launched_at = at("2026-11-30T03:25:22.125Z")};
}

std::string error_of(const std::string& text) {
  const auto result = parse_state(text, "s.json");
  return result ? "accepted" : result.error();
}

std::string file(const std::string& replicas, const std::string& reservations = "") {
  return R"({"version":1,"replicas":[)" + replicas + R"(],"reservations":[)" + reservations + "]}";
}

/// A replica entry with one field replaced, or left out when there is no new one.
std::string replica_with(const std::string& key, const std::string& value) {
  const std::pair<std::string, std::string> all[] = {
      {"slot", R"("n-d0")"},     {"host", R"("n")"},
      {"devices", "[0]"},        {"address", R"("a")"},
      {"port", "8001"},          {"instance", R"("i1")"},
      {"process_group", "4711"}, {"launched_at", R"("2026-11-30T03:25:22Z")"},
      {"birth", R"("17@b")"},    {"log_begin", "5"}};
  std::string text;
  for (const auto& [name, usual] : all) {
    const auto& now = name == key ? value : usual;
    if (!now.empty()) {
      text += (text.empty() ? "{\"" : ",\"") + name + "\":" + now;
    }
  }
  return text + "}";
}

}  // namespace

TEST_CASE("what is written is read back: replicas first, each list in its order") {
  auto unknown = replica();
  unknown.slot = "n-d2";
  unknown.process = {.instance = "i2"};
  auto unconfirmed = replica();
  unconfirmed.slot = "n-d4";
  unconfirmed.process.instance = "i3";
  unconfirmed.reason = "stop-unconfirmed";
  unconfirmed.detail = "ssh: exit status 255; \"quoted\" \xc3\xa9";
  unconfirmed.since = at("2026-11-30T04:00:00Z");
  const slot_record bare{
      .slot = "old-d7", .reason = "no-longer-declared", .since = at("2026-01-01T00:00:00Z")};
  const auto text = state_text({bare, replica(), unconfirmed, unknown});
  const auto read = parse_state(text, "s.json");
  REQUIRE_MESSAGE(read, error_of(text));
  CHECK(*read == std::vector{replica(), unknown, bare, unconfirmed});
}

TEST_CASE("the fields have the names that the contract gives them") {
  CHECK(state_text({replica()}) ==
        R"({"version":1,"replicas":[{"slot":"n-d0","host":"n","ssh":"user@n","devices":[0,1],)"
        R"("address":"10.0.0.2","port":8001,"instance":"i1","process_group":4711,)"
        R"("launched_at":"2026-11-30T03:25:22.125Z","birth":"17@b","log_begin":5}],)"
        R"("reservations":[]})"
        "\n");
  CHECK(state_text({}) == R"({"version":1,"replicas":[],"reservations":[]})"
                          "\n");
}

TEST_CASE("a state file that is not what a router wrote is refused with place and reason") {
  const std::string bad_time = "expected a time such as 2026-01-31T12:00:00Z";
  const std::pair<std::string, std::string> table[] = {
      {"", "line 1, column 1: incomplete JSON"},
      {R"({"version":1,)", "line 1, column 14: incomplete JSON"},
      {"[]", "expected an object, not a list"},
      {"{}", "version: is required"},
      {R"({"version":1})", "replicas: is required"},
      {R"({"version":"1"})", "version: expected a whole number from 1 to 4294967295, not a string"},
      {R"({"version":2,"replicas":[],"more":1})",
       "version: written by a newer router: expected 1, not 2"},
      {R"({"version":1,"replicas":[],"reservations":[],"more":1})", "more: unknown key"},
      {R"({"version":1,"version":1})", "version: given twice"},
      {file("7"), "replicas[0]: expected an object, not 7"},
      {file(replica_with("slot", "")), "replicas[0].slot: is required"},
      {file(replica_with("slot", R"("")")), "replicas[0].slot: must not be empty"},
      {file(replica_with("port", "0")),
       "replicas[0].port: expected a whole number from 1 to 65535, not 0"},
      {file(replica_with("devices", "[0,0]")), "replicas[0].devices: a device is given twice"},
      {file(replica_with("devices", "[]")), "replicas[0].devices: must not be empty"},
      {file(replica_with("instance", R"("a b")")),
       "replicas[0].instance: expected 1 to 128 of A-Z a-z 0-9 . _ -"},
      {file(replica_with("process_group", "-1")),
       "replicas[0].process_group: expected a whole number from 0 to 2147483647, not -1"},
      {file(replica_with("process_group", "1")),
       "replicas[0].process_group: expected 0 (unknown) or a group above 1"},
      {file(replica_with("process_group", "")), "replicas[0].process_group: is required"},
      {file(replica_with("launched_at", R"("yesterday")")), "replicas[0].launched_at: " + bad_time},
      {file(replica_with("log_begin", "-1")),
       "replicas[0].log_begin: expected a whole number from 0 to 9223372036854775807, not -1"},
      {file(replica_with("slot", R"("n-d0","reason":"x")")), "replicas[0].reason: unknown key"},
      {file(replica_with("", "") + "," + replica_with("instance", R"("i2")")),
       "replicas[1].slot: replicas[0] is about n-d0, too"},
      {file(replica_with("", "") + "," + replica_with("slot", R"("n-d1")")),
       "replicas[1].instance: replicas[0] is about i1, too"},
      {file(replica_with("", ""), R"({"slot":"n-d0","reason":"r","since":"2026-11-30T03:25:22Z"})"),
       "reservations[0].slot: replicas[0] is about n-d0, too"},
      {file("", R"({"slot":"n-d0","since":"2026-11-30T03:25:22Z"})"),
       "reservations[0].reason: is required"},
      {file("", R"({"slot":"n-d0","reason":"r"})"), "reservations[0].since: is required"},
      {file("", R"({"slot":"n-d0","reason":"r","since":"2026-02-30T00:00:00Z"})"),
       "reservations[0].since: " + bad_time},
  };
  for (const auto& [text, error] : table) {
    CHECK(error_of(text) == "s.json: " + error);
  }
}

TEST_CASE("a state file that does not exist holds nothing, one that cannot be read is refused") {
  const auto none = read_state_file("/nonexistent/state.json");
  REQUIRE(none);
  CHECK(none->empty());
  CHECK(read_state_file("/tmp").error() == "/tmp: Is a directory");
  const test::temp_file there(file(replica_with("", "")));
  CHECK(read_state_file(there.path())->size() == 1);
  const test::temp_file corrupt("{");
  CHECK(read_state_file(corrupt.path()).error() ==
        corrupt.path() + ": line 1, column 2: incomplete JSON");
}

TEST_CASE("times are RFC 3339 in UTC") {
  CHECK(to_timestamp(wall_time(1'000'000'000s)) == "2001-09-09T01:46:40.000Z");
  CHECK(to_timestamp(wall_time(1'000'000'000s + 1'999'999ns)) == "2001-09-09T01:46:40.001Z");
  CHECK(to_timestamp(wall_time(-1ms)) == "1969-12-31T23:59:59.999Z");
  CHECK(at("2001-09-09T01:46:40Z") == wall_time(1'000'000'000s));
  CHECK(at("2001-09-09t01:46:40.25z") == wall_time(1'000'000'000s + 250ms));
  CHECK(at("2001-09-09T03:16:40+01:30") == wall_time(1'000'000'000s));
  CHECK(at("2001-09-08T23:46:40.000000001-02:00") == wall_time(1'000'000'000s + 1ns));
  for (const auto* text :
       {"", "2001-09-09", "2001-09-09T01:46:40", "2001-9-09T01:46:40Z", "2001-13-09T01:46:40Z",
        "2001-09-31T01:46:40Z", "2001-09-09T24:46:40Z", "2001-09-09T01:46:40.Z",
        "2001-09-09T01:46:40Z ", "2001-09-09T01:46:40+1:30", "9999-09-09T01:46:40Z",
        "+001-09-09T01:46:40Z"}) {
    CHECK_MESSAGE(!parse_timestamp(text), text);
  }
}

TEST_CASE("a time that an offset leads out of the years that can be written is refused") {
  CHECK(parse_timestamp("2261-12-31T23:59:59Z"));
  CHECK(!parse_timestamp("2261-12-31T23:59:59-00:01"));
  CHECK(!parse_timestamp("1678-01-01T00:00:00+00:01"));
}
