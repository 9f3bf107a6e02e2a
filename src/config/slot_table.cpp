// SPDX-License-Identifier: MIT
#include "fleet/config/fleet_file.hpp"
#include "fleet/core/command.hpp"
#include "fleet/core/harmless.hpp"
#include "fleet/core/placeholders.hpp"
#include "fleet/core/shell_quote.hpp"

#include <algorithm>
#include <array>

namespace fleet {

namespace {

using row = std::array<std::string, 5>;

/// A command line as one line, however odd its words.
std::string preview(const launch_command& launch) {
  std::string line;
  for (const auto& variable : launch.env) {
    line += variable.name + "=... ";
  }
  line = harmless(line + shell_quote(launch.argv));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, '?');
  return line;
}

row row_of(const replica_spec& replica) {
  return {replica.name, "static", "-", url(replica.where), "-"};
}

row row_of(const slot_spec& slot, const host_spec& host) {
  return {slot.name, host.ssh.empty() ? "local" : "ssh " + host.ssh,
          placeholders_of(host, slot).devices, authority({.host = slot.address, .port = slot.port}),
          preview(command_to_launch(host, slot))};
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string slot_table(const fleet_spec& fleet) {
  std::vector<row> rows{{"NAME", "WHERE", "DEVICES", "ADDRESS", "COMMAND"}};
  for (const auto& replica : fleet.replicas) {
    rows.push_back(row_of(replica));
  }
  for (const auto& slot : fleet.slots) {
    rows.push_back(row_of(slot, fleet.hosts[slot.host]));
  }
  std::array<std::size_t, std::tuple_size_v<row>> widths{};
  for (const auto& cells : rows) {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size() + 2);
    }
  }
  std::string table;
  for (const auto& cells : rows) {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      table += cells[i] + std::string(widths[i] - cells[i].size(), ' ');
    }
    table += cells.back() + "\n";
  }
  return table + counted(fleet.replicas.size(), "static replica") + ", " +
         counted(fleet.slots.size(), "slot") + "\n";
}

}  // namespace fleet
