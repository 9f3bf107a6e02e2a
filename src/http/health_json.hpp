// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/view.hpp"

#include <string>

namespace fleet::http {

/// Whether a turn could be routed now: the status of GET /health.
[[nodiscard]] bool any_routable(const fleet_view& fleet);

/// The body of GET /health. Contract section 5. A replica that is not ready also says why
/// (`reason`) and since when (`since`, UTC).
[[nodiscard]] std::string health_json(const fleet_view& fleet);

}  // namespace fleet::http
