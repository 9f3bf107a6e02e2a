// SPDX-License-Identifier: MIT
#include "system/support/fleetctl_run.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/types.h>

namespace fleet::rig {

std::string text_of_file(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string at_port(std::uint16_t port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

std::string ctl_program() {
  return FLEET_CTL_BINARY;
}

std::string ctl_folder() {
  return ctl_program().substr(0, ctl_program().rfind('/'));
}

ctl_result run_ctl(std::vector<std::string> words,
                   std::vector<std::pair<std::string, std::string>> env) {
  words.insert(words.begin(), ctl_program());
  child_process ctl{{.argv = std::move(words), .env = std::move(env)}};
  ctl_result result;
  result.status = ctl.wait_exit(30s).value_or(-1);
  ctl.drain();
  result.output = ctl.output_text();
  result.errors = ctl.error_text();
  return result;
}

ctl_pool::ctl_pool(stub_host given, std::vector<std::string> flags, const std::string& statics)
    : host_(std::move(given)) {
  host_.log_dir = dir_.path();
  flags.insert(flags.end(), {"--stop-grace", "2", "--drain-timeout", "20"});
  router_.emplace(R"({"replicas":[)" + statics + R"(],"hosts":[)" + host_.entry() + "]}", flags);
}

ctl_pool::~ctl_pool() {
  router_.reset();
  for (std::size_t i = 0; i < host_.devices; ++i)
    for (const int pid : stubs_on(host_.port(i)))
      ::kill(pid, SIGKILL);
}

std::string ctl_pool::log_path(const std::string& slot) const {
  return host_.log_dir + "/" + slot + ".log";
}

std::vector<std::string> ctl_pool::words(std::vector<std::string> given) const {
  given.insert(given.begin(), {ctl_program(), "--router", at_port(port())});
  return given;
}

ctl_result ctl_pool::ctl(std::vector<std::string> given) const {
  given.insert(given.end(), {"--router", at_port(port())});
  return run_ctl(std::move(given));
}

}  // namespace fleet::rig
