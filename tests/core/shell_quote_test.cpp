// SPDX-License-Identifier: MIT
#include "fleet/core/shell_quote.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>

using fleet::shell_quote;
using words = std::vector<std::string>;

namespace {

struct closer {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

/// The words a real /bin/sh makes of a command line, as its `printf` sees them.
words read_by_shell(const std::string& line) {
  const auto script = "printf '%s\\0' " + line;
  const std::unique_ptr<std::FILE, closer> pipe(popen(script.c_str(), "re"));
  REQUIRE(pipe);
  std::string output;
  std::array<char, 4096> piece{};
  while (const auto got = std::fread(piece.data(), 1, piece.size(), pipe.get())) {
    output.append(piece.data(), got);
  }
  words result;
  for (std::size_t end = 0; (end = output.find('\0')) != std::string::npos;) {
    result.push_back(output.substr(0, end));
    output.erase(0, end + 1);
  }
  return result;
}

}  // namespace

TEST_CASE("a word is quoted only when a shell could read it as something else") {
  const std::pair<const char*, const char*> table[] = {
      {"pypto-serving", "pypto-serving"},
      {"/models/Qwen3-14B", "/models/Qwen3-14B"},
      {"0,1,2", "0,1,2"},
      {"", "''"},
      {"a b", "'a b'"},
      {"it's", R"('it'\''s')"},
      {"A=b", "'A=b'"},
      {"~/key", "'~/key'"},
      {"$HOME", "'$HOME'"},
      {"{\"a\":1}", "'{\"a\":1}'"},
  };
  for (const auto& [word, quoted] : table) {
    CHECK(shell_quote(word) == quoted);
  }
}

TEST_CASE("/bin/sh reads every quoted word back as it was") {
  words hard{"",    "'",     "''",      "\\",   "\\'",   "a b",         " lead", "trail ",   "\t",
             "\n",  "a\nb",  "$(id)",   "`id`", "$HOME", "*",           "?",     "[a-z]",    "~",
             "#no", "a#b",   "!",       "&&",   ";",     "|",           ">x",    "<x",       "(",
             "\"",  "\"'\"", "%s%n",    "-n",   "--",    "{\"a\":[1]}", "{a,b}", "\xc3\xa9", "A=b",
             "\r",  "\x7f",  "\xff\xfe"};
  for (int byte = 1; byte < 256; ++byte) {
    hard.push_back("x" + std::string(1, static_cast<char>(byte)) + "y");
    hard.emplace_back(1, static_cast<char>(byte));
  }
  CHECK(read_by_shell(shell_quote(hard)) == hard);
}

TEST_CASE("a quoted command line survives being quoted again as one word") {
  const words inner{"sh", "-c", "echo 'a  b' \"$1\"", "it's"};
  const auto line = shell_quote(inner);
  const auto outer = read_by_shell(shell_quote(words{"--run", line}));
  REQUIRE(outer.size() == 2);
  CHECK(outer[1] == line);
  CHECK(read_by_shell(outer[1]) == inner);
}
