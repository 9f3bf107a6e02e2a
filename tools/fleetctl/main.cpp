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
      {"events", show_events},   {"session", show_session},   {"version", show_version}};
  std::optional<std::chrono::steady_clock::time_point> until;
  if (asked.timeout) {
    until = std::chrono::steady_clock::now() + *asked.timeout;
  }
  const client router(asked, until);
  const terminal screen(asked.colour);
  const int status = actions.at(asked.what->name)({asked, router, screen});
  if (const auto why = screen.write_error(); why && status == exit_done) {
    return complain({exit_refused, "cannot write the output: " + why.message()});
  }
  return status;
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
