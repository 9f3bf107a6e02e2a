// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/host.hpp"

#include <string>
#include <string_view>

namespace fleet {

/// What the placeholders of one slot stand for. Contract section 2.
struct placeholder_values {
  std::string device;             ///< {device}: the group's first device
  std::string devices;            ///< {devices}: all of them, comma-separated
  std::string port;               ///< {port}
  std::string model;              ///< {model}
  std::string served_model_name;  ///< {served_model_name}: empty when the host has none
};

[[nodiscard]] placeholder_values placeholders_of(const host_spec& host, const slot_spec& slot);

/// `text` with every occurrence of the five placeholders replaced, in one pass: what was put in is
/// not looked at again. Any other brace stays as it is, so JSON in an argument survives.
[[nodiscard]] std::string expand(std::string_view text, const placeholder_values& values);

}  // namespace fleet
