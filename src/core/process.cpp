// SPDX-License-Identifier: MIT
#include "fleet/core/process.hpp"

#include <array>
#include <csignal>
#include <string_view>
#include <utility>

namespace fleet {

namespace {

std::string signal_name(int number) {
  constexpr std::array<std::pair<int, std::string_view>, 11> names{{{SIGABRT, "SIGABRT"},
                                                                    {SIGBUS, "SIGBUS"},
                                                                    {SIGFPE, "SIGFPE"},
                                                                    {SIGHUP, "SIGHUP"},
                                                                    {SIGILL, "SIGILL"},
                                                                    {SIGINT, "SIGINT"},
                                                                    {SIGKILL, "SIGKILL"},
                                                                    {SIGPIPE, "SIGPIPE"},
                                                                    {SIGQUIT, "SIGQUIT"},
                                                                    {SIGSEGV, "SIGSEGV"},
                                                                    {SIGTERM, "SIGTERM"}}};
  for (const auto& [known, name] : names) {
    if (known == number) {
      return std::string(name);
    }
  }
  return "signal " + std::to_string(number);
}

}  // namespace

std::string to_string(const exit_status& how) {
  return how.signal != 0 ? "killed by " + signal_name(how.signal)
                         : "exit status " + std::to_string(how.code);
}

bool is_instance(const std::string& text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= 128 &&
         text.find_first_not_of(allowed) == std::string::npos;
}

}  // namespace fleet
