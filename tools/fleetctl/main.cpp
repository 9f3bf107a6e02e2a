// SPDX-License-Identifier: MIT
#include "actions.hpp"
#include "completion.hpp"

#include <cstdlib>
#include <iostream>
#include <map>

namespace {

using namespace fleet::ctl;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

int print_completion(const session& at) {
  const auto text = completion_script(at.asked.operands.front());
  if (text.empty()) {
    return complain({exit_usage, "completion: expected bash, zsh or fish"});
  }
  at.screen.write(text);
  return exit_done;
}

int run(const invocation& asked) {
  static const std::map<std::string, int (*)(const session&)> actions{
      {"status", show_status},   {"replicas", show_replicas}, {"slots", show_slots},
      {"add", add_replicas},     {"remove", remove_replicas}, {"scale", scale_replicas},
      {"release", release_slot}, {"logs", show_logs},         {"watch", watch_fleet},
      {"health", show_health},   {"check", check_file},       {"completion", print_completion},
      {"version", show_version}};
  const client router(asked);
  const terminal screen(asked.colour);
  session at{asked, router, screen, std::nullopt};
  if (asked.timeout) {
    at.deadline = std::chrono::steady_clock::now() + *asked.timeout;
  }
  return actions.at(asked.what->name)(at);
}

}  // namespace

int main(int argc, char** argv) {
  const auto read = parse_options(argc, argv, environment);
  if (const auto* early = std::get_if<fleet::early_exit>(&read)) {
    (early->status == 0 ? std::cout : std::cerr) << early->text;
    return early->status;
  }
  return run(std::get<invocation>(read));
}
