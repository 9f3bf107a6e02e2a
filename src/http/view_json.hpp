// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/admin.hpp"
#include "fleet/core/view.hpp"
#include "fleet/http/event_ring.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace fleet::http {

/// Whether a turn could be routed now: the status of GET /health.
[[nodiscard]] bool any_routable(const fleet_view& fleet);

/// The body of GET /health. Contract section 5. A replica that is not ready also says why
/// (`reason`) and since when (`since`, UTC).
[[nodiscard]] std::string health_json(const fleet_view& fleet);

/// The body of GET /replicas. Contract section 6.
[[nodiscard]] std::string pool_json(const pool_view& pool);

/// The body of GET /slots: every declared slot in the order they are filled, each with its replica
/// where it has one.
[[nodiscard]] std::string slots_json(const pool_view& pool);

/// The body of GET /snapshot: both of these with totals and `recent` events; `last`: the number of
/// the newest event that it holds.
[[nodiscard]] std::string snapshot_json(const pool_view& pool, std::string_view version,
                                        const event_ring& ring, std::uint64_t last,
                                        const event_batch& recent);

/// The body of GET /replicas/{name}. While it is launched, `at` is its slot and `log_line` the last
/// line of its log; else `at` is null.
[[nodiscard]] std::string one_replica_json(const replica_view& replica, const slot_view* at,
                                           std::string_view log_line);

/// The body of a 202 to POST /replicas: the new replica.
[[nodiscard]] std::string replica_json(const replica_view& replica);

/// The body of a 200 to DELETE /replicas/{name}.
[[nodiscard]] std::string stopped_json(std::string_view name, const shrink_answer& answer);

/// The body of a 500 to DELETE /replicas/{name}: an error object with `slot` and `reason`.
[[nodiscard]] std::string unconfirmed_json(const shrink_answer& answer);

/// The body of a 200 to POST /slots/{slot}/release.
[[nodiscard]] std::string released_json(std::string_view slot, const capacity_view& capacity);

/// An error object as every refusal has it, with `capacity` beside it.
[[nodiscard]] std::string refused_json(std::string_view code, std::string_view message,
                                       const capacity_view& capacity);

}  // namespace fleet::http
