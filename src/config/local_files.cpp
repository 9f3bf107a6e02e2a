// SPDX-License-Identifier: MIT
#include "one_line.hpp"

#include "fleet/config/fleet_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace fleet {

namespace {

/// Why a file cannot be read; empty when it can.
std::string unreadable(const std::string& path) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) {
    return std::make_error_code(std::errc::is_a_directory).message();
  }
  return ::access(path.c_str(), R_OK) == 0 ? "" : std::generic_category().message(errno);
}

std::optional<failure> check(std::string_view file, const std::string& where,
                             const std::string& path) {
  const auto reason = unreadable(path);
  if (reason.empty()) {
    return std::nullopt;
  }
  return failure{std::string(file) + ": " + where + ": " + one_line(path) + ": " + reason};
}

}  // namespace

std::string expand_home(std::string_view path, std::string_view home) {
  if (path != "~" && !path.starts_with("~/")) {
    return std::string(path);
  }
  while (home.ends_with('/')) {
    home.remove_suffix(1);
  }
  const auto expanded = std::string(home) + std::string(path.substr(1));
  return expanded.empty() ? "/" : expanded;
}

std::optional<failure> resolve_local_files(fleet_spec& fleet, std::string_view file,
                                           const std::optional<std::string>& home) {
  for (std::size_t i = 0; i < fleet.replicas.size(); ++i) {
    const auto& path = fleet.replicas[i].where.ca_file;
    if (!path.empty()) {
      if (auto wrong = check(file, "replicas[" + std::to_string(i) + "].ca_file", path)) {
        return wrong;
      }
    }
  }
  for (std::size_t i = 0; i < fleet.hosts.size(); ++i) {
    auto& host = fleet.hosts[i];
    if (host.ssh.empty() || host.identity_file.empty()) {
      continue;
    }
    const auto where = "hosts[" + std::to_string(i) + "].identity_file";
    if (host.identity_file.front() == '~' && !home) {
      return failure{std::string(file) + ": " + where + ": HOME is not set, so ~ means nothing"};
    }
    host.identity_file = expand_home(host.identity_file, home.value_or(""));
    if (auto wrong = check(file, where, host.identity_file)) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace fleet
