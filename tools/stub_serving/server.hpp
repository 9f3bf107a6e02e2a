// SPDX-License-Identifier: MIT
#pragma once

#include "options.hpp"

namespace fleet::stub {

/// Loads, binds, serves, and on SIGTERM or SIGINT finishes what it is answering. Blocks; gives the
/// process's exit status. A second signal ends it at once.
[[nodiscard]] int serve(const options& knobs);

}  // namespace fleet::stub
