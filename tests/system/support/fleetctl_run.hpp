// SPDX-License-Identifier: MIT
#pragma once

#include "system/support/all.hpp"
#include "system/support/launched_fleet.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet::rig {

struct ctl_result : run_result {
  bool has(std::string_view text) const { return output.find(text) != std::string::npos; }
  bool complains(std::string_view text) const { return errors.find(text) != std::string::npos; }
};

// The whole of a file; empty when there is none.
std::string text_of_file(const std::string& path);

std::string at_port(std::uint16_t port);

// Path of the program, and of its folder.
std::string ctl_program();
std::string ctl_folder();

// Runs fleetctl to its end.
ctl_result run_ctl(std::vector<std::string> words,
                   std::vector<std::pair<std::string, std::string>> env = {});

// A router that launches stubs on one local host, and fleetctl pointed at it.
class ctl_pool {
 public:
  // `statics`: entries of `replicas`, beside the host.
  explicit ctl_pool(stub_host given, std::vector<std::string> flags = {},
                    const std::string& statics = "");
  ~ctl_pool();
  ctl_pool(const ctl_pool&) = delete;
  ctl_pool& operator=(const ctl_pool&) = delete;

  router_process& router() { return *router_; }
  std::uint16_t port() const { return router_->port(); }
  const stub_host& host() const { return host_; }
  std::string log_path(const std::string& slot) const;
  // A command line that asks this router.
  std::vector<std::string> words(std::vector<std::string> given) const;
  ctl_result ctl(std::vector<std::string> given) const;

 private:
  temp_dir dir_;
  stub_host host_;
  std::optional<router_process> router_;
};

}  // namespace fleet::rig
