// SPDX-License-Identifier: MIT
// A state file: refused with one line that names the file, or what it says survives being written.
#include "fleet/config/state_file.hpp"

#include "support/judge.hpp"

#include <chrono>

namespace {

using namespace fleet::fuzz;

constexpr std::string_view file = "state.json";

/// Times as they are written: to the millisecond, rounded down.
fleet::slot_record as_written(fleet::slot_record record) {
  record.since = std::chrono::floor<std::chrono::milliseconds>(record.since);
  record.launched_at = std::chrono::floor<std::chrono::milliseconds>(record.launched_at);
  return record;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto records = fleet::parse_state(text_of(data, size), file);
  if (!records) {
    const auto& line = records.error();
    expect(line.starts_with(std::string(file) + ": "), "a message begins with the file", line);
    expect(!has_control(line) && is_utf8(line), "a message is one line fit for a terminal", line);
    return 0;
  }
  const auto text = fleet::state_text(*records);
  const auto again = fleet::parse_state(text, file);
  expect(again.ok(), "what was written can be read", again.ok() ? text : again.error());
  expect(again->size() == records->size(), "no record is lost", text);
  for (std::size_t i = 0; i < records->size(); ++i) {
    const auto& process = (*records)[i].process;
    expect(process.process_group != 1 && process.process_group >= 0,
           "no signal would reach every process");
    if (!process.instance.empty()) {
      expect((*again)[i] == as_written((*records)[i]), "a record survives being written", text);
    }
  }
  expect(fleet::state_text(*again) == text, "written twice is written the same", text);
  return 0;
}
