// SPDX-License-Identifier: MIT
#include "system/support/router_process.hpp"

#include "system/support/fleet_view.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <stdexcept>

namespace fleet::rig {

namespace {

// The port in the log line `listening ... url=http://ADDRESS:PORT`, 0 while it is not there.
std::uint16_t listening_port(std::string_view log) {
  const auto line_at = log.find("listening");
  const auto url_at = log.find("http://", std::min(line_at, log.size()));
  if (url_at == std::string_view::npos)
    return 0;
  const auto rest = log.substr(url_at + 7);
  const auto line_end = rest.find('\n');
  if (line_end == std::string_view::npos)
    return 0;
  const auto url = rest.substr(0, std::min(line_end, rest.find_first_of(" \"")));
  const auto digits = url.substr(url.rfind(':') + 1);
  std::uint16_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

std::vector<std::string> command(const std::string& file, const std::vector<std::string>& flags) {
  std::vector<std::string> argv{FLEET_ROUTER_BINARY, "--replicas", file};
  const std::vector<std::pair<std::string, std::string>> defaults{
      {"--host", "127.0.0.1"}, {"--port", "0"}, {"--threads", "2"}, {"--health-interval", "0.2"}};
  for (const auto& [flag, value] : defaults)
    if (std::find(flags.begin(), flags.end(), flag) == flags.end())
      argv.insert(argv.end(), {flag, value});
  argv.insert(argv.end(), flags.begin(), flags.end());
  return argv;
}

}  // namespace

router_process::router_process(std::string fleet, std::vector<std::string> flags)
    : router_process{router_setup{.fleet = std::move(fleet), .flags = std::move(flags)}} {}

router_process::router_process(const router_setup& setup) {
  const auto file = dir_.write("fleet.json", setup.fleet);
  auto argv = command(file, setup.flags);
  argv.insert(argv.begin(), setup.wrapper.begin(), setup.wrapper.end());
  process_ = std::make_unique<child_process>(child_setup{.argv = std::move(argv),
                                                         .env = setup.env,
                                                         .max_files = setup.max_files,
                                                         .error_fd = setup.error_fd});
  if (setup.error_fd >= 0)
    return;
  const bool listens = eventually([this] {
    port_ = listening_port(log());
    return port_ != 0 || !process_->running();
  });
  if (!listens || port_ == 0)
    throw std::runtime_error{"the router does not listen; its log:\n" + log()};
}

int router_process::stop(milliseconds limit) {
  signal(SIGTERM);
  return process_->wait_exit(limit).value_or(-1);
}

ready_router::ready_router(std::string fleet, std::vector<std::string> flags)
    : router_process{std::move(fleet), std::move(flags)} {
  const bool ready = eventually([this] {
    const auto now = health(port());
    return now.replicas_ready == now.replicas_total;
  });
  if (!ready)
    throw std::runtime_error{"not every replica becomes ready; the log:\n" + log()};
}

run_result run_router(std::vector<std::string> arguments,
                      std::vector<std::pair<std::string, std::string>> env, milliseconds limit) {
  arguments.insert(arguments.begin(), FLEET_ROUTER_BINARY);
  child_process run{{.argv = std::move(arguments), .env = std::move(env)}};
  run_result result;
  result.status = run.wait_exit(limit).value_or(-1);
  // What it printed last may still be on its way through the pipe.
  run.drain();
  result.output = run.output_text();
  result.errors = run.error_text();
  return result;
}

run_result check_fleet(std::string_view text) {
  const temp_dir dir;
  return run_router({"--replicas", dir.write("fleet.json", text), "--check"});
}

std::size_t line_count(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

}  // namespace fleet::rig
