// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fleet {

/// An IPv4 or IPv6 address as a number; IPv6 without brackets, a zone (`%eth0`) allowed.
[[nodiscard]] bool is_ip_address(std::string_view text);

/// An IP address, or a host name of up to 253 letters, digits and `. _ -` that starts with a letter
/// or a digit.
[[nodiscard]] bool is_host(std::string_view text);

/// `[::1]` without its brackets; any other text unchanged.
[[nodiscard]] std::string_view without_brackets(std::string_view text);

/// The same text for hosts that are plainly the same: letter case, a dot at the end, spelling
/// of an IPv6 address, an IPv4 address in one, localhost and 127.0.0.1. Resolves no names.
[[nodiscard]] std::string canonical_host(std::string_view host);

/// The host part of an ssh destination: `host`, `user@host`, `ssh://[user@]host[:port]` with a port
/// from 1 to 65535. Empty when the destination is none of these, or could be taken for an option.
[[nodiscard]] std::string host_of_ssh(std::string_view destination);

/// The machine behind an ssh destination: the same text where it is plainly the same one, empty for
/// the router's own, which an empty destination and a loopback address mean. Another port than 22
/// may lead to another machine, also on a loopback address. Resolves no names.
[[nodiscard]] std::string machine_of_ssh(std::string_view destination);

/// The machine at an address, empty for the router's own, which a loopback address means. Resolves
/// no names.
[[nodiscard]] std::string machine_of_address(std::string_view address);

/// How a machine is reached.
struct machine_access {
  std::string_view ssh;      ///< where it is launched on; empty: the router's own machine
  std::string_view address;  ///< of its replicas; empty: not known
};

/// Whether these may lead to one machine: the host of an ssh destination or an address of the one
/// is plainly that of the other. The ports of ssh prove nothing, nor does an address that several
/// machines share, so this says yes more often than machine_of_ssh() does. Resolves no names.
[[nodiscard]] bool may_be_one_machine(const machine_access& a, const machine_access& b);

/// `name` or `user@name` where the name is one that only ssh's own configuration can resolve: it is
/// no host name (`_gpu`, `rack+1`), but safe to hand to ssh.
[[nodiscard]] bool is_ssh_alias(std::string_view destination);

}  // namespace fleet
