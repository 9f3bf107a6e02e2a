// SPDX-License-Identifier: MIT
// events and session: the stream as it comes, and what an operator reads.
#include "event_stream.hpp"
#include "screens.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace fleet::ctl;

namespace {

std::vector<std::string> messages_of(const std::vector<std::string>& pieces) {
  stream_reader reader;
  std::vector<std::string> out;
  for (const auto& each : pieces) {
    reader.feed(each);
    while (const auto message = reader.next())
      out.push_back(message->id + "|" + message->name + "|" + message->data);
  }
  return out;
}

using texts = std::vector<std::string>;

constexpr const char* lost =
    R"({"at":"2026-11-30T12:00:00.250Z","event":"replica_lost","slot":"n-d0",)"
    R"("reason":"exit status 3\nlast \u001b[31mline","losses":"1","n":7})";

}  // namespace

TEST_CASE("messages are put together from pieces of any size") {
  const std::string whole =
      "id: b-1\nevent: replacing\ndata: {\"a\":1}\n\n: ping\n\nevent:reset\r\ndata:{}\r\n\r\nid: "
      "b-2";
  const texts expected{"b-1|replacing|{\"a\":1}", "|reset|{}"};
  CHECK(messages_of({whole}) == expected);
  texts bytes;
  for (const char c : whole)
    bytes.emplace_back(1, c);
  CHECK(messages_of(bytes) == expected);
}

TEST_CASE("a comment or a field that is none makes no message") {
  CHECK(messages_of({": ping\n\nretry: 3\n\n\n\n"}).empty());
}

TEST_CASE("an id names a process and a number") {
  CHECK(number_of_event("b00t-17") == 17);
  CHECK(boot_of_event("b00t-17") == "b00t");
  CHECK(number_of_event("0") == 0);
  CHECK(number_of_event("") == 0);
  CHECK(number_of_event("x-y") == 0);
}

TEST_CASE("an event is one line: its time, its name and its fields, fit for a terminal") {
  CHECK(rendered(event_line(read_event(lost)), {}) ==
        "2026-11-30T12:00:00.250Z replica_lost slot=n-d0 reason=\"exit status 3 last ?[31mline\" "
        "losses=1");
  CHECK(rendered(event_line(read_event("nonsense")), {}).empty());
}

TEST_CASE("what went wrong is shown as such, a phase by itself") {
  const auto paint_of_name = [](const std::string& name, const std::string& fields = "") {
    return event_line(read_event(R"({"at":"t","event":")" + name + "\"" + fields + "}")).at(1).how;
  };
  CHECK(paint_of_name("slot_abandoned") == paint::bad);
  CHECK(paint_of_name("stop_unconfirmed") == paint::bad);
  CHECK(paint_of_name("replica_launched") == paint::good);
  CHECK(paint_of_name("replacing") == paint::busy);
  CHECK(paint_of_name("replica_phase", R"(,"phase":"ready")") == paint_of("ready"));
  CHECK(paint_of_name("replica_phase", R"(,"phase":"failed")") == paint_of("failed"));
}

TEST_CASE("a session is told with its replica and why it is there") {
  const auto shown = [](const std::string& rest) {
    const auto read = read_session(
        R"({"session":"s","replica":"n-d1","age_s":90,"turns":7,"in_flight":1,)" + rest + "}");
    REQUIRE(read);
    return rendered(session_lines(*read), {});
  };
  CHECK(shown(R"("last":"hit","last_move":{"from":"n-d0","why":"moved_load","age_s":12})") ==
        "session    s\nreplica    n-d1\nage        1m30s\nturns      7, 1 in flight\n"
        "last turn  to its pin\n"
        "moved      12s ago, from n-d0, which carried more than --affinity-slack above the least "
        "loaded\n");
  CHECK(shown(R"("last":"fresh","last_move":null)")
            .ends_with("last turn  to the least loaded, as it had no pin\n"));
  CHECK(shown(R"("last":"moved_gone","last_move":{"from":"","why":"moved_gone","age_s":0})")
            .ends_with("last turn  to the least loaded, as its pin took no turns\n"
                       "moved      0s ago, from a replica that has left, which took no turns\n"));
  CHECK_FALSE(read_session("{}"));
  CHECK_FALSE(read_session("no"));
}
