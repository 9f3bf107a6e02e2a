// SPDX-License-Identifier: MIT
#pragma once

namespace fleet::http {

class access_log;
class fleet_tally;

/// Who is told of turns, and who tells GET /metrics of the fleet; null: nobody.
struct server_observers {
  access_log* access = nullptr;
  const fleet_tally* tally = nullptr;
};

}  // namespace fleet::http
