// SPDX-License-Identifier: MIT
#pragma once

// Everything a system test uses.

#include "system/support/fleet_view.hpp"        // IWYU pragma: export
#include "system/support/raw_client.hpp"        // IWYU pragma: export
#include "system/support/requests.hpp"          // IWYU pragma: export
#include "system/support/router_process.hpp"    // IWYU pragma: export
#include "system/support/scripted_replica.hpp"  // IWYU pragma: export
