// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace fleet::http {

/// How the process's file descriptors are shared out, so that none of its parts takes what another
/// one needs. Each client may need a connection to a replica; probes and the commands that launch
/// and stop replicas find theirs whatever the clients do.
struct descriptor_budget {
  std::size_t clients = 0;  ///< at once, in all lanes; one for each lane may come on top
  /// Connections to replicas that one lane may keep although it has fewer clients.
  std::size_t pooled = 0;
  /// The fixed needs alone take more than half of the limit: an operator should hear of it.
  bool tight = false;
};

/// `limit`: of the process; `lanes` >= 1; `fleet`: what probes and commands may use at once, taken
/// into account up to a quarter of `limit`.
[[nodiscard]] descriptor_budget share_descriptors(std::size_t limit, std::size_t lanes,
                                                  std::size_t fleet);

/// RLIMIT_NOFILE; some millions when there is none.
[[nodiscard]] std::size_t descriptor_limit();

}  // namespace fleet::http
