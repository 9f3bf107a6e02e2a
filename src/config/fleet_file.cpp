// SPDX-License-Identifier: MIT
#include "fleet/config/fleet_file.hpp"

#include "entries.hpp"
#include "json_text.hpp"
#include "text_file.hpp"

#include "fleet/core/host_name.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace fleet {

namespace {

namespace json = boost::json;

constexpr std::size_t most_bytes = 16 * 1024 * 1024;
constexpr std::size_t most_members = 10'000;

std::string place(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

fleet_spec read_lists(const json::value& document, complaint& out) {
  fleet_spec fleet;
  fields in(document, "", out);
  std::string for_editors;
  in.text("$schema", for_editors);
  in.each("replicas", [&](const json::value& value, const std::string& where) {
    fleet.replicas.push_back(read_replica(value, where, out));
  });
  in.each("hosts", [&](const json::value& value, const std::string& where) {
    fleet.hosts.push_back(read_host(value, where, fleet.hosts.size(), out));
  });
  in.finish();
  if (fleet.replicas.empty() && fleet.hosts.empty()) {
    out.say("", "expected at least one entry in replicas or hosts");
  }
  return fleet;
}

bool few_enough(const fleet_spec& fleet, complaint& out) {
  std::size_t members = fleet.replicas.size();
  for (const auto& host : fleet.hosts) {
    members += host.devices.size() / host.devices_per_replica;
  }
  if (members > most_members) {
    out.say("", std::to_string(members) + " replicas and slots are more than " +
                    std::to_string(most_members));
  }
  return members <= most_members;
}

void check_host_names(const std::vector<host_spec>& hosts, complaint& out) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto [first, fresh] = seen.emplace(hosts[i].name, i);
    if (!fresh) {
      out.say(place("hosts", i) + ".name",
              place("hosts", first->second) + " is called " + hosts[i].name + ", too");
    }
  }
}

/// Names and addresses of replicas and slots; each may be had once.
class occupancy {
 public:
  /// `owner` says who it is; `name_key` and `port_key` are blamed when it is not the first.
  void take(const std::string& owner, const std::string& name, const std::string& host,
            std::uint16_t port, const std::string& name_key, const std::string& port_key,
            complaint& out) {
    const auto [namesake, fresh_name] = names_.emplace(name, owner);
    if (!fresh_name) {
      out.say(name_key, namesake->second + " is called " + name + ", too");
    }
    const auto [neighbour, fresh_place] =
        places_.emplace(std::pair(canonical_host(host), port), owner);
    if (!fresh_place) {
      out.say(port_key, owner + " and " + neighbour->second + " are both at " +
                            authority({.host = host, .port = port}));
    }
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::pair<std::string, std::uint16_t>, std::string> places_;
};

void check_members(const fleet_spec& fleet, complaint& out) {
  occupancy taken;
  for (std::size_t i = 0; i < fleet.replicas.size(); ++i) {
    const auto& [name, where] = fleet.replicas[i];
    const auto entry = place("replicas", i);
    taken.take(entry, name, where.host, where.port, entry + ".name", entry + ".port", out);
  }
  for (const auto& slot : fleet.slots) {
    const auto entry = place("hosts", slot.host);
    taken.take("slot " + slot.name, slot.name, slot.address, slot.port, entry + ".name",
               entry + ".port_base", out);
  }
}

using device_users = std::map<std::pair<std::string, std::uint32_t>, std::size_t>;

/// Which earlier host has one of these devices, too, and which device that is.
std::optional<std::pair<std::size_t, std::uint32_t>> give_devices(
    device_users& users, const std::string& machine, const std::vector<std::uint32_t>& devices,
    std::size_t host) {
  for (const auto device : devices) {
    const auto [user, fresh] = users.emplace(std::pair(machine, device), host);
    if (!fresh) {
      return std::pair(user->second, device);
    }
  }
  return std::nullopt;
}

void check_devices(const std::vector<host_spec>& hosts, complaint& out) {
  device_users users;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (const auto twice = give_devices(users, machine_of_ssh(hosts[i].ssh), hosts[i].devices, i)) {
      out.say(place("hosts", i) + ".devices", "device " + std::to_string(twice->second) +
                                                  " of the same machine is given to " +
                                                  place("hosts", twice->first) + ", too");
    }
  }
}

void warn_of_unverified(const fleet_spec& fleet, const std::string& prefix,
                        std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < fleet.replicas.size(); ++i) {
    if (fleet.replicas[i].where.insecure_skip_verify) {
      warnings.push_back(prefix + place("replicas", i) + ".insecure_skip_verify: anyone on the " +
                         "network may pose as " + fleet.replicas[i].name);
    }
  }
}

// Not refused: another port, or another name for ssh, may be another machine behind one address.
void warn_of_shared_devices(const fleet_spec& fleet, const std::string& prefix,
                            std::vector<std::string>& warnings) {
  device_users users;
  for (std::size_t i = 0; i < fleet.hosts.size(); ++i) {
    const auto& host = fleet.hosts[i];
    if (const auto twice = give_devices(users, canonical_host(host.address), host.devices, i)) {
      warnings.push_back(prefix + place("hosts", i) + ".devices: device " +
                         std::to_string(twice->second) + " is given to " +
                         place("hosts", twice->first) + " of the same address, too");
    }
  }
}

void warn_of_idle_keys(const fleet_spec& fleet, const std::string& prefix,
                       std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < fleet.hosts.size(); ++i) {
    if (fleet.hosts[i].ssh.empty() && !fleet.hosts[i].identity_file.empty()) {
      warnings.push_back(prefix + place("hosts", i) + ".identity_file: has no use without ssh");
    }
  }
}

bool uses_served_name(const host_spec& host) {
  const auto mentions = [](const std::string& text) {
    return text.find("{served_model_name}") != std::string::npos;
  };
  const auto any = [&](const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), mentions);
  };
  return any(host.serve_args) || any(host.serve_command) || any(host.launch_wrapper) ||
         any(host.stop_command) || mentions(host.workdir) || mentions(host.log_dir) ||
         std::any_of(host.env.begin(), host.env.end(),
                     [&](const env_var& variable) { return mentions(variable.value); });
}

void warn_of_empty_names(const fleet_spec& fleet, const std::string& prefix,
                         std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < fleet.hosts.size(); ++i) {
    if (fleet.hosts[i].served_model_name.empty() && uses_served_name(fleet.hosts[i])) {
      warnings.push_back(prefix + place("hosts", i) +
                         ".served_model_name: is not given, so {served_model_name} is empty");
    }
  }
}

}  // namespace

outcome<fleet_spec> parse_fleet(std::string_view text, std::string_view file) {
  const auto document = parse_json_text(text, file);
  if (!document) {
    return failure{document.error()};
  }
  complaint out;
  auto fleet = read_lists(*document, out);
  if (!out.made() && few_enough(fleet, out)) {
    fleet.slots = lay_out_slots(fleet.hosts);
    check_host_names(fleet.hosts, out);
    check_members(fleet, out);
    check_devices(fleet.hosts, out);
  }
  const auto prefix = std::string(file) + ": ";
  if (out.made()) {
    return failure{prefix + out.text()};
  }
  warn_of_unverified(fleet, prefix, fleet.warnings);
  warn_of_shared_devices(fleet, prefix, fleet.warnings);
  warn_of_idle_keys(fleet, prefix, fleet.warnings);
  warn_of_empty_names(fleet, prefix, fleet.warnings);
  return fleet;
}

outcome<fleet_spec> read_fleet_file(const std::string& path) {
  const auto text = read_text_file(path, most_bytes);
  if (!text) {
    return failure{text.error()};
  }
  return parse_fleet(*text, path);
}

outcome<pool_limits> limits_of_pool(const settings& given, const fleet_spec& fleet) {
  pool_limits limits;
  limits.ceiling = std::min(given.max_replicas.value_or(fleet.slots.size()), fleet.slots.size());
  limits.initial = given.initial_replicas.value_or(std::min<std::size_t>(1, limits.ceiling));
  if (limits.initial > limits.ceiling) {
    return failure{"--initial-replicas " + std::to_string(limits.initial) + " is above the pool: " +
                   given.fleet_file + " declares " + std::to_string(fleet.slots.size()) + " slots" +
                   (limits.ceiling < fleet.slots.size()
                        ? " and --max-replicas is " + std::to_string(limits.ceiling)
                        : "")};
  }
  return limits;
}

}  // namespace fleet
