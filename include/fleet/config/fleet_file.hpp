// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/config/settings.hpp"
#include "fleet/core/host.hpp"
#include "fleet/core/outcome.hpp"
#include "fleet/core/replica.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// A valid fleet file. Contract section 2.
struct fleet_spec {
  std::vector<replica_spec> replicas;  ///< run by someone else, never stopped by the router
  std::vector<host_spec> hosts;
  std::vector<slot_spec> slots;  ///< lay_out_slots(hosts): the order in which they are filled
  /// What is allowed but should be said at startup, one line each, e.g. unverified certificates.
  std::vector<std::string> warnings;
};

/// Reads and checks the whole file. The failure is one line: file, entry index, key, and what was
/// wanted, e.g. `fleet.json: hosts[1].devices: 6 devices are not a multiple of
/// devices_per_replica=8`; a syntax error names line and column. Never quotes an environment value
/// or an identity_file.
///
/// Names of replicas and hosts: 1..100 characters of A-Z a-z 0-9 . _ : [ ] - beginning with a
/// letter, a digit, _ or [, so that they fit a URL path segment and a log file's name.
/// A text under `$schema` at the top is for editors and not looked at.
/// Limits: 16 MiB, nesting depth 32, device ids 0..65534, 10000 replicas and slots in all.
[[nodiscard]] outcome<fleet_spec> read_fleet_file(const std::string& path);

/// The same from text; `file` is only what messages call it. Touches no disk.
[[nodiscard]] outcome<fleet_spec> parse_fleet(std::string_view text, std::string_view file);

/// `~` and `~/...` with `home` in place of the tilde; any other path unchanged. No other shell
/// syntax is known: `$HOME` and `~user` stay as they are.
[[nodiscard]] std::string expand_home(std::string_view path, std::string_view home);

/// Expands the identity_file of each host in place, and checks that the files the fleet names on
/// this machine (identity_file of ssh hosts, ca_file) can be read. `home` is HOME's value, none
/// when it is not set. The failure is one line; files the fleet does not name are not touched.
[[nodiscard]] std::optional<failure> resolve_local_files(fleet_spec& fleet, std::string_view file,
                                                         const std::optional<std::string>& home);

/// How many replicas the router launches. Spec: "Capacity".
struct pool_limits {
  std::size_t initial = 0;  ///< to be running after startup, adopted ones included
  std::size_t ceiling = 0;  ///< owned replicas at any time: the slots, or --max-replicas if lower
};

/// --initial-replicas defaults to 1 when there are slots (0 under a ceiling of 0). One that was
/// given and is above the ceiling is a failure; --max-replicas above the pool is just capped.
[[nodiscard]] outcome<pool_limits> limits_of_pool(const settings& given, const fleet_spec& fleet);

/// What --check prints: static replicas, then slots in the order they are filled, with where they
/// run, devices, address and the command line. Environment variables show without their values.
[[nodiscard]] std::string slot_table(const fleet_spec& fleet);

}  // namespace fleet
