// SPDX-License-Identifier: MIT
#include "fleet/config/fleet_file.hpp"
namespace fleet {}
