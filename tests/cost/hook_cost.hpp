// SPDX-License-Identifier: MIT
#pragma once

namespace fleet::cost {

/// Tells the metrics of so many turns all that they hear of one, without an access log.
void run_hooks(unsigned long turns);

}  // namespace fleet::cost
