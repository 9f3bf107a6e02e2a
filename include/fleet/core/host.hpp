// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet {

/// One variable that a launched process gets on top of the environment it inherits.
struct env_var {
  std::string name;
  std::string value;

  friend bool operator==(const env_var&, const env_var&) = default;
};

/// A machine the router may launch on, as the fleet file declares it. Contract section 2. Texts are
/// as written there: placeholders are not expanded yet. An empty text means "not given".
struct host_spec {
  std::string name;                       ///< never empty; `host<index>` when the file names none
  std::string ssh;                        ///< ssh destination; empty: the router's own machine
  std::string identity_file;              ///< path of a private key, never the key
  std::string address = "127.0.0.1";      ///< where the router reaches this host's replicas
  std::vector<std::uint32_t> devices;     ///< distinct, at least one, in the operator's order
  std::uint32_t devices_per_replica = 1;  ///< divides the number of devices
  std::uint16_t port_base = 8001;         ///< a slot's port is this plus its first device
  std::string model;                      ///< model path on that machine, never empty
  std::string served_model_name;
  std::vector<std::string> serve_args;  ///< appended after the standard arguments
  std::vector<std::string> serve_command = {"pypto-serving"};  ///< see command.hpp
  std::string python;        ///< runs PYTHON -m pypto_serving.cli instead
  std::vector<env_var> env;  ///< in the order of the file
  std::vector<std::string> launch_wrapper;
  std::vector<std::string> stop_command;  ///< empty: the built-in way
  std::string workdir;
  std::string log_dir = "/tmp/pypto-serving-router";

  friend bool operator==(const host_spec&, const host_spec&) = default;
};

/// One group of devices that carries one replica. A replica launched on it bears the slot's name.
struct slot_spec {
  std::string name;                    ///< `<host>-d<first device>`
  std::size_t host = 0;                ///< index into the hosts it was laid out from
  std::vector<std::uint32_t> devices;  ///< at least one
  std::uint16_t port = 0;              ///< the host's port_base + first device
  std::string address;                 ///< the host's address

  friend bool operator==(const slot_spec&, const slot_spec&) = default;
};

/// The slots of these hosts in the order they are filled: local hosts first, then the order of the
/// file; within a host, groups of devices_per_replica in the listed device order. Expects valid
/// hosts: a whole multiple of devices, and ports that fit (config::read_fleet_file sees to it).
[[nodiscard]] std::vector<slot_spec> lay_out_slots(const std::vector<host_spec>& hosts);

}  // namespace fleet
