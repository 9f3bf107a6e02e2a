// SPDX-License-Identifier: MIT
#include "entries.hpp"

#include "fleet/core/host_name.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace fleet {

namespace {

namespace json = boost::json;

constexpr std::uint32_t highest_port = 65535;
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view digits = "0123456789";

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 100 &&
         (is_one_of(text.front(), letters) || is_one_of(text.front(), digits) ||
          text.front() == '[') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_one_of(c, letters) || is_one_of(c, digits) || is_one_of(c, ".:[]-");
         });
}

bool is_variable(std::string_view text) {
  return !text.empty() && is_one_of(text.front(), letters) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_one_of(c, letters) || is_one_of(c, digits); });
}

bool looks_like_a_key(std::string_view text) {
  constexpr std::array<std::string_view, 5> inside{"-----BEGIN", "PRIVATE KEY", "PuTTY-User-Key",
                                                   " AAAA", "\n"};
  // How the base64 of an OpenSSH private key and of public keys begin.
  constexpr std::array<std::string_view, 3> at_start{"b3BlbnNzaC1rZXkt", "AAAAB3NzaC1",
                                                     "AAAAC3NzaC1"};
  return std::any_of(inside.begin(), inside.end(),
                     [&](auto mark) { return text.find(mark) != std::string_view::npos; }) ||
         std::any_of(at_start.begin(), at_start.end(),
                     [&](auto mark) { return text.starts_with(mark); });
}

void read_name(fields& in, std::string& to) {
  std::string name;
  in.text("name", name);
  if (name.empty()) {
    return;
  }
  if (!is_name(name)) {
    in.say("name",
           "expected 1 to 100 of A-Z a-z 0-9 . _ : [ ] - beginning with a letter, a digit, _ or [");
  }
  to = std::move(name);
}

void read_address(fields& in, std::string_view key, std::string& to) {
  std::string address;
  in.text(key, address);
  if (address.empty()) {
    return;
  }
  to = without_brackets(address);
  if (!is_host(to)) {
    in.say(key, "expected a host name or an IP address, without scheme and port");
  }
}

void read_scheme(fields& in, endpoint& where) {
  std::string scheme = "http";
  in.text("scheme", scheme);
  if (scheme != "http" && scheme != "https") {
    in.say("scheme", "expected http or https");
  }
  where.tls = scheme == "https";
  in.text("ca_file", where.ca_file);
  in.yes_or_no("insecure_skip_verify", where.insecure_skip_verify);
  for (const auto& [key, used] : {std::pair<const char*, bool>{"ca_file", !where.ca_file.empty()},
                                  {"insecure_skip_verify", where.insecure_skip_verify}}) {
    if (used && !where.tls) {
      in.say(key, "needs \"scheme\": \"https\"");
    }
  }
}

void read_machine(fields& in, host_spec& host) {
  in.text("ssh", host.ssh);
  if (!host.ssh.empty()) {
    host.address = host_of_ssh(host.ssh);
  }
  in.text("identity_file", host.identity_file);
  if (looks_like_a_key(host.identity_file)) {
    in.say("identity_file", "expected the path of a private key, not a key");
  }
  const bool reachable = !host.address.empty();
  read_address(in, "address", host.address);
  if (reachable) {
    return;
  }
  if (!is_ssh_alias(host.ssh)) {
    in.say("ssh", "expected host, user@host or ssh://user@host:port with a port from 1 to 65535");
  } else if (host.address.empty()) {
    in.say("ssh", "a name that only ssh can resolve needs \"address\" beside it");
  }
}

void read_devices(fields& in, host_spec& host) {
  in.require("devices");
  in.whole_numbers("devices", highest_port - 1, host.devices);
  in.whole_number("devices_per_replica", 1, highest_port, host.devices_per_replica);
  in.whole_number("port_base", 1, highest_port, host.port_base);
  std::set<std::uint32_t> seen;
  for (const auto device : host.devices) {
    if (!seen.insert(device).second) {
      in.say("devices", "device " + std::to_string(device) + " is listed twice");
      return;
    }
  }
  const auto count = host.devices.size();
  if (count % host.devices_per_replica != 0) {
    in.say("devices", std::to_string(count) + (count == 1 ? " device is" : " devices are") +
                          " not a multiple of devices_per_replica=" +
                          std::to_string(host.devices_per_replica));
  }
  for (std::size_t i = 0; i < count; i += host.devices_per_replica) {
    if (host.port_base + host.devices[i] > highest_port) {
      in.say("port_base", std::to_string(host.port_base) + " + device " +
                              std::to_string(host.devices[i]) + " is above port 65535");
      return;
    }
  }
}

void read_program(fields& in, std::string_view key, std::vector<std::string>& to) {
  in.words(key, to);
  if (!to.empty() && to.front().empty()) {
    in.say(key, "the first word names a program and must not be empty");
  }
}

void read_command(fields& in, host_spec& host) {
  in.require("model");
  in.text("model", host.model);
  in.text("served_model_name", host.served_model_name);
  in.words("serve_args", host.serve_args);
  const auto standard = host.serve_command;
  read_program(in, "serve_command", host.serve_command);
  if (host.serve_command.empty()) {
    in.say("serve_command", "must not be empty");
  }
  in.text("python", host.python);
  if (!host.python.empty() && host.serve_command != standard) {
    in.say("python", "does not go with serve_command: both name the program");
  }
  read_program(in, "launch_wrapper", host.launch_wrapper);
  read_program(in, "stop_command", host.stop_command);
  in.text("workdir", host.workdir);
  in.text("log_dir", host.log_dir);
}

void read_env(fields& in, host_spec& host, complaint& out) {
  in.each_text("env", [&](std::string_view name, std::string value, const std::string& where) {
    if (!is_variable(name)) {
      out.say(where, "expected a name of A-Z a-z 0-9 _ that does not begin with a digit");
    }
    if (name == "PYPTO_ROUTER_INSTANCE") {
      out.say(where, "is set by the router itself");
    }
    host.env.push_back({std::string(name), std::move(value)});
  });
}

}  // namespace

replica_spec read_replica(const json::value& value, const std::string& where, complaint& out) {
  fields in(value, where, out);
  replica_spec replica;
  in.require("host");
  read_address(in, "host", replica.where.host);
  in.require("port");
  in.whole_number("port", 1, highest_port, replica.where.port);
  read_scheme(in, replica.where);
  replica.name = authority(replica.where);
  read_name(in, replica.name);
  in.finish();
  return replica;
}

host_spec read_host(const json::value& value, const std::string& where, std::size_t index,
                    complaint& out) {
  fields in(value, where, out);
  host_spec host;
  host.name = "host" + std::to_string(index);
  read_name(in, host.name);
  read_machine(in, host);
  read_devices(in, host);
  read_command(in, host);
  read_env(in, host, out);
  in.finish();
  return host;
}

}  // namespace fleet
