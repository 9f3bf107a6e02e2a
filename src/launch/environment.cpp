// SPDX-License-Identifier: MIT
#include "environment.hpp"

#include <algorithm>
#include <unistd.h>

namespace fleet {

namespace {

constexpr std::string_view token_variable = "PYPTO_ROUTER_ADMIN_TOKEN";

bool sets(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == '=' && line.starts_with(name);
}

}  // namespace

environment inherited_environment() {
  environment lines;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    if (!sets(*line, token_variable) && !sets(*line, instance_variable)) {
      lines.emplace_back(*line);
    }
  }
  return lines;
}

void set_variable(environment& lines, const env_var& variable) {
  if (variable.name == token_variable) {
    return;
  }
  std::erase_if(lines, [&](const std::string& line) { return sets(line, variable.name); });
  lines.push_back(variable.name + "=" + variable.value);
}

std::string_view variable(const environment& lines, std::string_view name) {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return sets(line, name); });
  return found == lines.end() ? std::string_view{}
                              : std::string_view(*found).substr(name.size() + 1);
}

}  // namespace fleet
