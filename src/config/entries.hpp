// SPDX-License-Identifier: MIT
#pragma once

#include "fields.hpp"

#include "fleet/core/host.hpp"
#include "fleet/core/replica.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>

namespace fleet {

/// One element of the fleet file's `replicas`, checked by itself. `where` is its place.
[[nodiscard]] replica_spec read_replica(const boost::json::value& value, const std::string& where,
                                        complaint& out);

/// One element of `hosts`, the `index`th, checked by itself.
[[nodiscard]] host_spec read_host(const boost::json::value& value, const std::string& where,
                                  std::size_t index, complaint& out);

}  // namespace fleet
