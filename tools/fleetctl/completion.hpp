// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fleet::ctl {

/// The completion script for `bash`, `zsh` or `fish`, made from the command table; empty for any
/// other shell. Names of slots and replicas are asked of the router that the line or the
/// environment names.
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace fleet::ctl
