// SPDX-License-Identifier: MIT
#include "fleet/core/host.hpp"

#include <algorithm>

namespace fleet {

namespace {

void add_slots(const host_spec& host, std::size_t index, std::vector<slot_spec>& slots) {
  const std::size_t size = std::max<std::size_t>(host.devices_per_replica, 1);
  for (std::size_t begin = 0; begin + size <= host.devices.size(); begin += size) {
    const auto first = host.devices.begin() + static_cast<std::ptrdiff_t>(begin);
    slot_spec slot;
    slot.name = host.name + "-d" + std::to_string(*first);
    slot.host = index;
    slot.devices.assign(first, first + static_cast<std::ptrdiff_t>(size));
    slot.port = static_cast<std::uint16_t>(host.port_base + *first);
    slot.address = host.address;
    slots.push_back(std::move(slot));
  }
}

}  // namespace

std::vector<slot_spec> lay_out_slots(const std::vector<host_spec>& hosts) {
  std::vector<slot_spec> slots;
  for (const bool local : {true, false}) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (hosts[i].ssh.empty() == local) {
        add_slots(hosts[i], i, slots);
      }
    }
  }
  return slots;
}

}  // namespace fleet
