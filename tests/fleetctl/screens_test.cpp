// SPDX-License-Identifier: MIT
// What fleetctl makes of the router's answers.
#include "actions.hpp"
#include "completion.hpp"
#include "text.hpp"

#include <doctest/doctest.h>

using namespace fleet::ctl;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view pool_text = R"({"replicas":[
  {"name":"n-d0","url":"http://127.0.0.1:8001","ready":true,"phase":"ready","owned":true,
   "draining":false,"outstanding":2,"routed":7,"slot":"n-d0","devices":[0,1],"host":"n",
   "log":"/l/n-d0.log"},
  {"name":"far","url":"http://10.0.0.2:8001","ready":false,"phase":"failed","owned":false,
   "draining":false,"outstanding":0,"routed":3,"reason":"connection refused",
   "since":"2026-01-31T12:00:00Z"}],
  "capacity":{"owned":1,"ceiling":4,"free_slots":["n-d2"],
   "unconfirmed":[{"slot":"n-d4","reason":"stop-unconfirmed","detail":"ssh ended with 255",
                   "since":"2026-01-31T12:00:00Z"}],
   "abandoned":[{"slot":"n-d6","losses":3,"since":"2026-01-31T12:00:00Z"}],"replacing":[]}})";

constexpr std::string_view slots_text = R"({"slots":[
  {"name":"n-d0","host":"n","devices":[0,1],"address":"127.0.0.1","port":8001,"stage":"serving",
   "since":"2026-01-31T12:00:00Z","replica":{"name":"n-d0","ready":true,"outstanding":2}},
  {"name":"n-d2","host":"n","devices":[2,3],"address":"::1","port":8003,"stage":"free",
   "detail":"exit status 3"}]})";

constexpr std::string_view health_text =
    R"({"status":"ok","sessions":5,"routed":10,"affinity_hits":4,"rejected":1})";

fleet_picture picture() {
  return {"http://r:8000", "0.1.0", *read_health(health_text), *read_pool(pool_text),
          *read_slots(slots_text)};
}

const wall_time now = *fleet::ctl::utc_time("2026-01-31T12:05:12Z");

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("replicas show phase, load and reason, and wide where they are") {
  const auto text = rendered(replica_lines(picture().members.replicas, now, false), {});
  CHECK(text ==
        "REPLICA  PHASE   FOR    IN FLIGHT  ROUTED  LAUNCHED   REASON\n"
        "n-d0     ready                  2       7  here\n"
        "far      failed  5m12s          0       3  elsewhere  connection refused\n");
  const auto wide = rendered(replica_lines(picture().members.replicas, now, true), {});
  CHECK(has(wide, "http://127.0.0.1:8001  n     0,1      /l/n-d0.log"));
}

TEST_CASE("slots show their stage, and what went wrong last") {
  CHECK(rendered(slot_lines(picture().slots, now, false), {}) ==
        "SLOT  STAGE    FOR    HOST  DEVICES  ADDRESS         REASON\n"
        "n-d0  serving  5m12s  n     0,1      127.0.0.1:8001\n"
        "n-d2  free            n     2,3      [::1]:8003      exit status 3\n");
}

TEST_CASE("status is totals, tables and what needs a human with the command for it") {
  const auto text = rendered(status_lines(picture(), now), {});
  CHECK(has(text, "router    http://r:8000, version 0.1.0: ok\n"));
  CHECK(has(text, "replicas  1 ready, 1 failed\n"));
  CHECK(has(text, "slots     2: 1 serving, 1 free; at most 4 in use\n"));
  CHECK(has(text,
            "traffic   5 sessions, 10 routed, 4 to their pin (40%), 1 rejected, 2 in flight\n"));
  CHECK(has(text, "needs a human\n"));
  CHECK(has(text,
            "  n-d4: nobody could confirm that its replica is gone (stop-unconfirmed: ssh "
            "ended with 255) for 5m12s\n    look at its machine, then: fleetctl release "
            "n-d4\n"));
  CHECK(has(text, "n-d6: given up after 3 replicas lost in a row"));
  CHECK(has(text, "fleetctl add n-d6\n"));
  CHECK(has(text, "far: stopped answering for 5m12s (connection refused)\n"));
}

TEST_CASE("where there may not be room for all, what needs a human comes first") {
  const auto first = rendered(status_lines(picture(), now, true), {});
  CHECK(first.find("needs a human") < first.find("REPLICA"));
  const auto last = rendered(status_lines(picture(), now), {});
  CHECK(last.find("needs a human") > last.find("REPLICA"));
}

TEST_CASE("a fleet that is well needs nobody") {
  auto well = picture();
  well.members.replicas.pop_back();
  well.members.left.unconfirmed.clear();
  well.members.left.abandoned.clear();
  CHECK(has(rendered(status_lines(well, now), {}), "nothing needs a human\n"));
  well.members.replicas.clear();
  CHECK(has(rendered(status_lines(well, now), {}), "fleetctl add --wait\n"));
}

TEST_CASE("each reason of an unconfirmed slot has its own advice") {
  auto all = picture();
  all.members.left.unconfirmed[0].reason = "unreachable-at-startup";
  CHECK(has(concerns_of(all, now)[0].fix, "it may still be loading"));
  all.members.left.unconfirmed[0].reason = "no-longer-declared";
  CHECK(has(concerns_of(all, now)[0].fix, "stop it on its machine"));
}

TEST_CASE("answers of another version are shown as far as they go") {
  CHECK_FALSE(read_pool("[]").has_value());
  CHECK_FALSE(read_pool("<html>").has_value());
  CHECK_FALSE(read_pool(R"({"ok":true})").has_value());
  const auto odd = read_pool(R"({"replicas":[{"name":5,"outstanding":-1},7],"capacity":[]})");
  REQUIRE(odd.has_value());
  REQUIRE(odd->replicas.size() == 1);
  CHECK(odd->replicas[0].name.empty());
  CHECK(odd->replicas[0].outstanding == 0);
}

TEST_CASE("a complaint says what to try next, and which exit status it is") {
  invocation asked;
  const client plain(asked, {});
  const answer nobody{.failure = "Connection refused"};
  CHECK(complaint_of(nobody, plain).status == exit_unreachable);
  CHECK(has(complaint_of(nobody, plain).text, "--router URL or FLEETCTL_ROUTER"));
  const answer late{.failure = "no answer in time", .late = true};
  CHECK(complaint_of(late, plain).status == exit_timed_out);
  const answer stranger{.router = reached::yes, .status = 200, .body = "<html>"};
  CHECK(complaint_of(stranger, plain).status == exit_unreachable);
  const answer closed{.router = reached::yes, .status = 401, .body = "{}"};
  CHECK(has(complaint_of(closed, plain).text, "--token-file"));
  const answer full{.router = reached::yes,
                    .status = 409,
                    .body = R"({"message":"no \u001b[2Jslot","error":{"code":"pool_full"}})"};
  CHECK(complaint_of(full, plain).status == exit_refused);
  CHECK(has(complaint_of(full, plain).text, "no ?[2Jslot; `fleetctl slots`"));
  asked.token = "s3cret";
  CHECK(has(complaint_of(closed, plain).text, "does not accept this token"));
  CHECK_FALSE(has(complaint_of(closed, plain).text, "s3cret"));
}

TEST_CASE("names are encoded for a path") {
  CHECK(encoded("n-d0") == "n-d0");
  CHECK(encoded("127.0.0.1:8001") == "127.0.0.1:8001");
  CHECK(encoded("a/b c%") == "a%2Fb%20c%25");
}

TEST_CASE("a completion script knows every command and option") {
  for (const auto* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    for (const auto& each : commands())
      CHECK(has(script, each.name));
    for (const auto* table : {&global_options(), &command_options()})
      for (const auto& each : *table)
        CHECK(has(script, (std::string_view(shell) == "fish" ? "-l " : "--") + each.name));
  }
  CHECK(completion_script("csh").empty());
}
