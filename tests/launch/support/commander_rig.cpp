// SPDX-License-Identifier: MIT
#include "launch/support/commander_rig.hpp"

#include "fleet/core/command.hpp"

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace fleet::rig {

commander_rig::commander_rig(process_commander::options given)
    : commander_{
          std::make_unique<process_commander>([](const std::function<void()>& call) { call(); },
                                              [this](process_exit exit) {
                                                const std::lock_guard lock{mutex_};
                                                exits_.push_back(std::move(exit));
                                              },
                                              given)} {}

commander_rig::~commander_rig() {
  commander_.reset();
  for (const auto& each : instances_)
    for (const auto pid : carriers_of("PYPTO_ROUTER_INSTANCE=" + each))
      ::kill(pid, SIGKILL);
  // Children without a commander: nobody else reaps them.
  for (const auto group : groups_)
    in_time([&] { return ::waitpid(group, nullptr, WNOHANG) != 0; }, 2s);
  for (const auto zombie : zombies_of_this_process())
    ::waitpid(zombie, nullptr, WNOHANG);
}

host_spec commander_rig::host(const std::string& script) const {
  return {.name = "h",
          .devices = {0},
          .model = "m",
          .serve_command = {"sh", "-c", script, "replica", "{port}", dir.path()},
          .log_dir = dir.path() + "/logs"};
}

std::string commander_rig::instance() {
  static std::atomic<int> count = 0;
  instances_.push_back("test-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
  return instances_.back();
}

launch_result commander_rig::launch(const launch_order& order) {
  answer<launch_result> result;
  commander_->launch(order, result.callback());
  return result.get();
}

process_ref commander_rig::started(const launch_order& order) {
  const auto result = launch(order);
  INFO(result.reason);
  REQUIRE(result.started);
  groups_.push_back(result.process.process_group);
  return result.process;
}

stop_result commander_rig::stop(const host_spec& host, const process_ref& process,
                                milliseconds grace) {
  answer<stop_result> result;
  commander_->stop({host, slot(host), process, grace}, result.callback());
  return result.get(long_patience + grace);
}

inspection commander_rig::inspect(const host_spec& host, const process_ref& process) {
  answer<inspection> result;
  commander_->inspect({host, slot(host), process}, result.callback());
  return result.get();
}

std::string commander_rig::log(const host_spec& host) const {
  return read_file(log_path(host, slot(host)));
}

std::optional<process_exit> commander_rig::exit_of(const std::string& instance) {
  const std::lock_guard lock{mutex_};
  for (const auto& each : exits_)
    if (each.instance == instance)
      return each;
  return std::nullopt;
}

pid_t commander_rig::pid_in(const std::string& file) const {
  const auto path = dir.path() + "/" + file;
  REQUIRE(in_time([&] { return read_file(path).ends_with('\n'); }));
  return std::stoi(read_file(path));
}

}  // namespace fleet::rig
