// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/host.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// NAME=VALUE lines, each name once.
using environment = std::vector<std::string>;

inline constexpr std::string_view instance_variable = "PYPTO_ROUTER_INSTANCE";

/// This process's environment, without what no child may see: the admin token, and the instance of
/// an outer router that launched this one.
[[nodiscard]] environment inherited_environment();

/// Sets the variable, or replaces it. The admin token's variable is never set. Contract section 6.
void set_variable(environment& lines, const env_var& variable);

/// The value; empty when it is not set.
[[nodiscard]] std::string_view variable(const environment& lines, std::string_view name);

}  // namespace fleet
