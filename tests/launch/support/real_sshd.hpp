// SPDX-License-Identifier: MIT
#pragma once

#include "launch/support/scoped_variable.hpp"
#include "system/support/temp_dir.hpp"

#include <memory>
#include <string>
#include <sys/types.h>

namespace fleet::rig {

// An OpenSSH server on loopback with keys of its own, for this user. While it lives, `ssh` in PATH
// is the system's with a configuration and a known_hosts file in its folder.
class real_sshd {
 public:
  // Why there can be none here; empty when there can.
  static std::string missing();

  real_sshd();
  ~real_sshd();
  real_sshd(const real_sshd&) = delete;
  real_sshd& operator=(const real_sshd&) = delete;

  // ssh://user@127.0.0.1:port
  std::string destination() const;
  // A name that only the client's configuration knows.
  static std::string alias() { return "my_node"; }
  const std::string& key() const { return key_; }
  // Cuts all connections; the server goes on listening.
  void cut() const;
  // The whole server goes, connections and all; and is there again, on the same port.
  void down();
  void up();

 private:
  void write_client();
  void start();
  bool run();

  temp_dir folder_;
  std::string key_;
  std::string user_;
  int port_ = 0;
  pid_t pid_ = 0;
  std::unique_ptr<scoped_variable> path_;
};

}  // namespace fleet::rig
