// SPDX-License-Identifier: MIT
// fleetctl on a terminal of 80x24, and on none.
#include "system/support/fleetctl_run.hpp"

#include <doctest/doctest.h>

using namespace fleet::rig;

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t rows = 24;

// The text without its escape sequences.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[++i])) == 0) {
      }
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(by, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + by.size();
  }
  return out;
}

bool fits(const std::string& frame) {
  const auto shown = split(plain(frame), "\n");
  return shown.size() <= rows && std::all_of(shown.begin(), shown.end(), [](const auto& line) {
           return line.size() <= columns;
         });
}

// What fleetctl writes on a terminal of that size.
std::string on_terminal(ctl_pool& p, const std::string& arguments, const std::string& before = "") {
  const std::string line = "stty cols 80 rows 24; " + before + " " + ctl_program() + " " +
                           arguments + " --router " + at_port(p.port());
  child_process script{{.argv = {"script", "-qec", line, "/dev/null"}, .env = {{"TERM", "xterm"}}}};
  CHECK(script.wait_exit(20s).has_value());
  script.drain();
  return script.output_text();
}

}  // namespace

TEST_CASE("watch redraws the whole screen in place, and gives the terminal back") {
  ctl_pool p({.devices = 30, .port_base = free_ports(30)}, {"--initial-replicas", "1"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  const auto text = on_terminal(p, "watch", "timeout --foreground -s INT 1.5");
  const auto begin = text.find("\x1b[?1049h\x1b[?25l");
  const auto end = text.rfind("\x1b[?25h\x1b[?1049l");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  CHECK(end + 14 == text.size());
  const auto frames = split(text.substr(begin + 14, end - begin - 14), "\x1b[H");
  CHECK(frames.size() >= 2);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    CHECK(fits(frames[i]));
    CHECK(frames[i].find("n-d0") != std::string::npos);
  }
  CHECK(text.find("\x1b[32mready") != std::string::npos);
}

TEST_CASE("add --wait redraws its line in place, with the last line of the log") {
  ctl_pool p({.args = {"--load-seconds", "1"}}, {"--initial-replicas", "0"});
  const auto text = on_terminal(p, "add --wait");
  CHECK(text.find("\x1b[1A\r") != std::string::npos);
  CHECK(text.find("\x1b[33mstarting") != std::string::npos);
  CHECK(text.find("\x1b[32mready") != std::string::npos);
  for (const auto& line : split(plain(text), "\n"))
    CHECK(line.size() <= columns);
  const auto bare = on_terminal(p, "replicas --no-color");
  CHECK(bare.find('\x1b') == std::string::npos);
}

TEST_CASE("piped, watch is a line for each change and nothing else") {
  ctl_pool p({}, {"--initial-replicas", "1"});
  REQUIRE(launched_ready(p.port(), "n-d0"));
  child_process watch{{.argv = p.words({"watch"}), .env = {{"TERM", "xterm"}}}};
  CHECK(eventually(
      [&] { return watch.output_text().find(" replica n-d0: ready\n") != std::string::npos; }));
  CHECK(p.ctl({"remove", "n-d0"}).output.find('\x1b') == std::string::npos);
  CHECK(eventually(
      [&] { return watch.output_text().find(" replica n-d0: gone\n") != std::string::npos; }));
  CHECK(watch.output_text().find('\x1b') == std::string::npos);
  CHECK(watch.output_text().find('\r') == std::string::npos);
}
