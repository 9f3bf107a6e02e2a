// SPDX-License-Identifier: MIT
// A fleet file: accepted whole and usable, or refused with one line that names the file.
#include "fleet/config/fleet_file.hpp"

#include "support/judge.hpp"

#include "fleet/core/command.hpp"
#include "fleet/core/shell_quote.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace {

using namespace fleet::fuzz;

constexpr std::string_view file = "fleet.json";

void check_line(const std::string& line) {
  expect(line.starts_with(std::string(file) + ": "), "a message begins with the file", line);
  expect(!has_control(line), "a message is one line fit for a terminal", line);
  expect(is_utf8(line), "a message is UTF-8", line);
}

void check_names(const fleet::fleet_spec& fleet) {
  std::set<std::string> names;
  for (const auto& replica : fleet.replicas) {
    expect(names.insert(replica.name).second, "names are unique", replica.name);
  }
  for (const auto& slot : fleet.slots) {
    expect(names.insert(slot.name).second, "names are unique", slot.name);
    expect(slot.port != 0, "a slot has a port", slot.name);
  }
  for (const auto& name : names) {
    expect(!name.empty() && name.find_first_of(" /\\?#%\"") == std::string::npos,
           "a name fits a path segment and a log file's name", name);
  }
}

void check_commands(const fleet::fleet_spec& fleet) {
  for (const auto& slot : fleet.slots) {
    const auto& host = fleet.hosts[slot.host];
    const auto launch = fleet::command_to_launch(host, slot);
    expect(!launch.argv.empty() && !launch.argv.front().empty(), "a launch names a program");
    const auto whole = fleet::shell_quote(launch.argv) + fleet::log_path(host, slot) +
                       launch.workdir + fleet::shell_quote(fleet::command_to_stop(host, slot));
    expect(whole.find('\0') == std::string::npos, "no word of a command holds NUL");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto fleet = fleet::parse_fleet(text_of(data, size), file);
  if (!fleet) {
    check_line(fleet.error());
    return 0;
  }
  std::for_each(fleet->warnings.begin(), fleet->warnings.end(), check_line);
  check_names(*fleet);
  check_commands(*fleet);
  const auto table = fleet::slot_table(*fleet);
  const auto lines = std::count(table.begin(), table.end(), '\n');
  expect(static_cast<std::size_t>(lines) == 2 + fleet->replicas.size() + fleet->slots.size(),
         "the table has one line for each replica and slot", table);
  expect(!has_control(table, "\n"), "the table is fit for a terminal", table);
  return 0;
}
