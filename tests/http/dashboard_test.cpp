// SPDX-License-Identifier: MIT
// GET /dashboard: the files, their header fields, and what is refused.
#include "dashboard.hpp"

#include "lane_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fleet;
using namespace fleet::http;

namespace {

std::string page_answer(lane_fixture& lane, std::string_view line, std::string_view fields = {}) {
  lane.received.clear();
  lane.send(std::string(line) + " HTTP/1.1\r\nHost: r\r\n" + std::string(fields) + "\r\n");
  CHECK(lane.gets("\r\n\r\n"));
  return lane.received;
}

bool says(const std::string& answer, std::string_view part) {
  return answer.find(part) != std::string::npos;
}

std::string tag_in(const std::string& answer) {
  const auto from = answer.find("ETag: ");
  return from == std::string::npos ? ""
                                   : answer.substr(from + 6, answer.find('\r', from) - from - 6);
}

std::string body_of(const std::string& answer) {
  return answer.substr(std::min(answer.find("\r\n\r\n") + 4, answer.size()));
}

const std::filesystem::path sources{FLEET_SOURCE_DIR "/src/http/dashboard"};

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE_FIXTURE(lane_fixture, "GET /dashboard is the page, with no token and no data") {
  settings.admin_token = "T";
  const auto answer = page_answer(*this, "GET /dashboard?x=1");
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(says(answer, "Content-Type: text/html; charset=utf-8\r\n"));
  CHECK(says(answer, "<!doctype html>"));
  CHECK(port->admin_calls.empty());
}

TEST_CASE("each file of the page is compiled in byte for byte, with a type of its own") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{sources}) {
    lane_fixture lane;
    const auto name = entry.path().filename().string();
    CAPTURE(name);
    const auto bytes = bytes_of(entry.path());
    lane.send("GET /dashboard/" + name + " HTTP/1.1\r\nHost: r\r\n\r\n");
    CHECK(lane.run_until([&] { return body_of(lane.received).size() >= bytes.size(); }));
    CHECK(lane.received.starts_with("HTTP/1.1 200 OK\r\n"));
    const bool same = body_of(lane.received) == bytes;
    CHECK(same);
    CHECK(!says(lane.received, "application/octet-stream"));
    ++count;
  }
  CHECK(count == page_files.size());
  CHECK(count > 5);
}

TEST_CASE_FIXTURE(lane_fixture, "the page may load nothing from elsewhere and stand in no frame") {
  for (const auto* path : {"/dashboard", "/dashboard/app.js", "/dashboard/base.css"}) {
    const auto answer = page_answer(*this, std::string("HEAD ") + path);
    CHECK(says(answer, "Content-Security-Policy: default-src 'none'; script-src 'self'; "));
    CHECK(says(answer, "frame-ancestors 'none'"));
    CHECK(!says(answer, "unsafe"));
    CHECK(says(answer, "X-Frame-Options: DENY\r\n"));
    CHECK(says(answer, "X-Content-Type-Options: nosniff\r\n"));
    CHECK(says(answer, "Referrer-Policy: no-referrer\r\n"));
    CHECK(says(answer, "Cache-Control: no-cache\r\n"));
    CHECK(body_of(answer).empty());
  }
}

TEST_CASE_FIXTURE(lane_fixture, "a browser that has a file of the page is told so by its tag") {
  const auto tag = tag_in(page_answer(*this, "HEAD /dashboard/app.js"));
  REQUIRE(tag.size() == 34);
  const std::vector<std::pair<std::string, std::string>> table = {
      {tag, "304"},           {"\"x\", W/" + tag, "304"}, {"\"x\"\r\nIf-None-Match: " + tag, "304"},
      {"*", "304"},           {"\"x\"", "200"},           {tag.substr(0, 9) + "\"", "200"},
      {tag.substr(1), "200"},
  };
  for (const auto& [value, status] : table) {
    CAPTURE(value);
    const auto answer =
        page_answer(*this, "HEAD /dashboard/app.js", "If-None-Match: " + value + "\r\n");
    CHECK(answer.starts_with("HTTP/1.1 " + status));
    CHECK(tag_in(answer) == tag);
    CHECK(says(answer, "Content-Length") == (status == "200"));
  }
  CHECK(tag_in(page_answer(*this, "HEAD /dashboard/base.css")) != tag);
}

TEST_CASE_FIXTURE(lane_fixture, "what is no file of the page is a 404, another method a 405") {
  for (const auto* path : {"/dashboard/", "/dashboard/x.js", "/dashboard/../app.js",
                           "/dashboard/%61pp.js", "/dashboards"}) {
    CAPTURE(path);
    CHECK(says(page_answer(*this, std::string("GET ") + path), R"("code":"not_found")"));
  }
  const auto answer = page_answer(*this, "POST /dashboard", "Content-Length: 0\r\n");
  CHECK(answer.starts_with("HTTP/1.1 405"));
  CHECK(says(answer, "Allow: GET, HEAD\r\n"));
}

TEST_CASE("no file of the page makes markup of text or has script or style in its markup") {
  for (const auto& entry : std::filesystem::directory_iterator{sources}) {
    const auto text = bytes_of(entry.path());
    CAPTURE(entry.path().string());
    for (const auto* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                             "eval(", "new Function", " style=", "onclick=\"", "javascript:"}) {
      CAPTURE(word);
      CHECK(!says(text, word));
    }
  }
}
