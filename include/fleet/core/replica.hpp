// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fleet {

/// Where a replica listens and how it is reached. Spec: "Start the Router".
struct endpoint {
  std::string host;                   ///< name or address; IPv6 without brackets
  std::uint16_t port = 0;             ///< 1..65535
  bool tls = false;                   ///< scheme https
  std::string ca_file;                ///< CA bundle instead of the system's; empty: the system's
  bool insecure_skip_verify = false;  ///< no certificate check at all

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// `host:port` with IPv6 in brackets: the Host header and the default name of a replica.
[[nodiscard]] std::string authority(const endpoint& where);

/// `http://host:port` or `https://host:port`.
[[nodiscard]] std::string url(const endpoint& where);

/// A replica as its operator names it.
struct replica_spec {
  std::string name;
  endpoint where;

  friend bool operator==(const replica_spec&, const replica_spec&) = default;
};

/// What a launched replica occupies; all empty for one that somebody else runs.
struct placement {
  std::string slot;
  std::vector<std::uint32_t> devices;
  std::string host;  ///< the host's name in the fleet file
  std::string log;   ///< path of its log, on the machine that runs it

  friend bool operator==(const placement&, const placement&) = default;
};

/// One life of one replica, unique in this process and never used again. Whatever is said about a
/// replica carries it, so that word of an older life is never booked on a newer one.
struct instance_id {
  std::uint64_t value = 0;  ///< 0: none

  friend auto operator<=>(const instance_id&, const instance_id&) = default;
};

/// What an operator sees a replica do. Contract section 5.
enum class phase : std::uint8_t {
  starting,  ///< never answered yet
  ready,     ///< the last probe was good, or one bad probe since
  draining,  ///< takes no new turns; on its way out
  failed,    ///< served, then stopped answering
};

[[nodiscard]] std::string to_string(phase p);

}  // namespace fleet

template <>
struct std::hash<fleet::instance_id> {
  std::size_t operator()(const fleet::instance_id& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
