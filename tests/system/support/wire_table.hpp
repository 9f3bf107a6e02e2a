// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fleet::rig {

// One row of a table of wire bytes: see tests/system/smuggling/requests.txt for how it is written.
struct wire_row {
  struct line {
    std::string key;    // the first word
    std::string value;  // the rest, names expanded and escapes resolved
  };
  std::string name;
  std::vector<line> lines;

  // The values of all lines with this key, in order.
  std::vector<std::string> all(std::string_view key) const;
  // The one value, `otherwise` when there is none.
  std::string get(std::string_view key, std::string otherwise = "") const;
};

// Reads a table. Throws std::runtime_error with the line that cannot be read.
std::vector<wire_row> read_wire_table(const std::string& file);

// `text` with every `{name}` replaced.
std::string with(std::string text, std::string_view name, std::string_view value);

// Bytes in the writing of the tables, so that a failure can be read.
std::string escaped(std::string_view bytes);

}  // namespace fleet::rig
