// SPDX-License-Identifier: MIT
#include "trace_context.hpp"

#include "lane_fixture.hpp"

#include <regex>

using namespace fleet::http;
using end = scripted_upstream::end;

namespace {

const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhol";
const std::string trace = "0af7651916cd43dd8448eb211c80319c";
const std::string span = "b7ad6b7169203331";

std::string parent(const std::string& value) {
  return "A: b\r\nTraceParent: " + value + "\r\nC: d\r\n";
}

std::string copy_of(std::string_view text) {
  return std::string(text);
}

}  // namespace

TEST_CASE("the trace id is that of a valid traceparent") {
  CHECK(trace_id(parent("00-" + trace + "-" + span + "-01")) == trace);
  CHECK(trace_id(parent("00-" + trace + "-" + span + "-00")) == trace);
  // A later version may know more.
  CHECK(trace_id(parent("cc-" + trace + "-" + span + "-01-more")) == trace);
  CHECK(trace_id("A: b\r\n").empty());
  CHECK(trace_id("").empty());
}

TEST_CASE("an invalid traceparent names no trace") {
  const auto good = "00-" + trace + "-" + span + "-01";
  std::vector<std::string> bad{"",
                               "00",
                               good + "-more",
                               good + " ",
                               "ff" + good.substr(2),
                               "0G" + good.substr(2),
                               "00-" + std::string(32, '0') + "-" + span + "-01",
                               "00-" + trace + "-" + std::string(16, '0') + "-01",
                               "00-" + trace + "-" + span + "-0x",
                               "00-0AF7651916cd43dd8448eb211c80319c-" + span + "-01",
                               "cc" + good.substr(2) + "more"};
  for (std::size_t dash : {2, 35, 52}) {
    bad.push_back(good);
    bad.back()[dash] = '_';
  }
  for (const auto& value : bad) {
    CAPTURE(value);
    CHECK(trace_id(parent(value)).empty());
  }
  CHECK(trace_id(parent(good) + parent(good)).empty());
}

TEST_CASE_FIXTURE(lane_fixture, "traceparent and tracestate pass through untouched") {
  for (const bool traced : {false, true}) {
    settings.trace = traced;
    received.clear();
    auto& replica = upstream_that(whole, end::keep);
    chat("traceparent: 00-" + trace + "-" + span + "-01\r\ntracestate: a=1,b=2\r\n");
    CHECK(gets("whol"));
    CHECK(replica.seen.find("\r\ntraceparent: 00-" + trace + "-" + span + "-01\r\n") !=
          std::string::npos);
    CHECK(replica.seen.find("\r\ntracestate: a=1,b=2\r\n") != std::string::npos);
  }
}

TEST_CASE_FIXTURE(lane_fixture, "a turn without a traceparent gets none, with --trace its own") {
  auto& plain = upstream_that(whole, end::keep);
  chat();
  CHECK(gets("whol"));
  CHECK(plain.seen.find("traceparent") == std::string::npos);
  settings.trace = true;
  received.clear();
  auto& traced = upstream_that(whole, end::keep);
  chat("tracestate: lost=1\r\n");
  CHECK(gets("whol"));
  const std::regex minted{"\r\ntraceparent: (00-[0-9a-f]{32}-[0-9a-f]{16}-01)\r\n"};
  std::smatch found;
  REQUIRE(std::regex_search(traced.seen, found, minted));
  CHECK(!copy_of(trace_id("traceparent: " + found[1].str() + "\r\n")).empty());
  CHECK(traced.seen.find("tracestate") == std::string::npos);
}
