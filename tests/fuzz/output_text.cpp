// SPDX-License-Identifier: MIT
// What a command printed, on its way into JSON, the log and terminals.
#include "output_text.hpp"

#include "support/judge.hpp"

#include "fleet/core/harmless.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace fleet::fuzz;

void check_harmless(std::string_view text) {
  const auto clean = fleet::harmless(text);
  expect(is_utf8(clean), "what is harmless is UTF-8", clean);
  expect(!has_control(clean, "\n\t"), "what is harmless moves no terminal", clean);
  expect(fleet::harmless(clean) == clean, "what is harmless stays as it is", clean);
  expect(clean.size() <= text.size(), "nothing is added");
  if (is_utf8(text) && !has_control(text, "\n\t")) {
    expect(clean == text, "a text that does no harm is not changed", clean);
  }
}

void check_last_lines(std::string_view text) {
  const auto line = fleet::last_lines(text);
  expect(line.size() <= 603, "600 bytes and dots at most", line);
  expect(is_utf8(line) && !has_control(line, "\t"), "the last lines are one harmless line", line);
  const bool blank = std::all_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  });
  expect(line.empty() == blank, "blank output only has no last lines", line);
}

void check_tail(std::string_view text) {
  const std::size_t limit = text.empty() ? 0 : static_cast<unsigned char>(text.front());
  std::string tail;
  for (const auto piece : cut(text, 2)) {
    fleet::append_tail(tail, piece, limit);
    expect(tail.size() <= limit, "a tail is within its limit");
  }
  expect(tail == text.substr(text.size() - std::min(limit, text.size())), "the tail is the end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  check_harmless(text);
  check_last_lines(text);
  check_tail(text);
  return 0;
}
