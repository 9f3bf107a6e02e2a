// SPDX-License-Identifier: MIT
#include "fleet/core/placeholders.hpp"

#include <array>
#include <utility>

namespace fleet {

placeholder_values placeholders_of(const host_spec& host, const slot_spec& slot) {
  placeholder_values values;
  for (const auto device : slot.devices) {
    values.devices += (values.devices.empty() ? "" : ",") + std::to_string(device);
  }
  values.device = slot.devices.empty() ? "" : std::to_string(slot.devices.front());
  values.port = std::to_string(slot.port);
  values.model = host.model;
  values.served_model_name = host.served_model_name;
  return values;
}

std::string expand(std::string_view text, const placeholder_values& values) {
  const std::array<std::pair<std::string_view, const std::string*>, 5> known{{
      {"{device}", &values.device},
      {"{devices}", &values.devices},
      {"{port}", &values.port},
      {"{model}", &values.model},
      {"{served_model_name}", &values.served_model_name},
  }};
  std::string result;
  while (!text.empty()) {
    std::size_t taken = 1;
    std::string_view put = text.substr(0, 1);
    for (const auto& [name, value] : known) {
      if (text.starts_with(name)) {
        taken = name.size();
        put = *value;
      }
    }
    result += put;
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace fleet
