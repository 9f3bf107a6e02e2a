// SPDX-License-Identifier: MIT
// Words, separated by NUL, as a POSIX shell reads them back.
#include "fleet/core/shell_quote.hpp"

#include "support/judge.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace fleet::fuzz;
using words = std::vector<std::string>;

words split(std::string_view text) {
  words found;
  while (true) {
    const auto end = std::min(text.find('\0'), text.size());
    found.emplace_back(text.substr(0, end));
    if (end == text.size()) {
      return found;
    }
    text.remove_prefix(end + 1);
  }
}

bool means_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+:,./-").find(c) != std::string_view::npos;
}

/// POSIX 2.2: 'quoted', backslash and character, and what means itself. Nothing for all else.
std::optional<words> unquoted(std::string_view line) {
  words found;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      inside = false;
      continue;
    }
    if (!inside) {
      found.emplace_back();
      inside = true;
    }
    if (c == '\'') {
      const auto end = line.find('\'', i + 1);
      if (end == std::string_view::npos) {
        return std::nullopt;
      }
      found.back().append(line.substr(i + 1, end - i - 1));
      i = end;
    } else if (c == '\\' && i + 1 < line.size() && line[i + 1] != '\n') {
      found.back() += line[++i];
    } else if (means_itself(c)) {
      found.back() += c;
    } else {
      return std::nullopt;
    }
  }
  return found;
}

/// What the shell of this machine makes of the line: each word in brackets.
std::string by_shell(const std::string& line) {
  const auto command = "printf '[%s]' " + line;
  const auto whole = "LC_ALL=C exec sh -c " + fleet::shell_quote(command);
  std::FILE* pipe = ::popen(whole.c_str(), "r");
  expect(pipe != nullptr, "sh can be started");
  std::string output;
  // libFuzzer's timer interrupts a read that a slow shell keeps waiting.
  for (int c = std::fgetc(pipe); c != EOF || (std::ferror(pipe) && errno == EINTR);
       c = std::fgetc(pipe)) {
    if (c == EOF) {
      std::clearerr(pipe);
    } else {
      output += static_cast<char>(c);
    }
  }
  expect(::pclose(pipe) == 0, "the shell takes the line", line);
  return output;
}

/// A shell takes a thousand times as long as the rest.
bool shells_turn() {
  static unsigned runs = 0;
  ++runs;
  return runs < 100 || runs % 2000 == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto given = split(text_of(data, size));
  const auto line = fleet::shell_quote(given);
  expect(unquoted(line) == given, "the words come back", line);
  if (given.size() > 1) {
    const auto outer = unquoted(fleet::shell_quote(line));
    expect(outer && outer->size() == 1 && outer->front() == line, "a line is quoted as one word");
  }
  if (shells_turn()) {
    std::string wanted;
    for (const auto& word : given) {
      wanted += "[" + word + "]";
    }
    expect(by_shell(line) == wanted, "a real shell gives the words back", line);
  }
  return 0;
}
