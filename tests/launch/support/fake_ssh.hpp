// SPDX-License-Identifier: MIT
#pragma once

#include "launch/support/commander_rig.hpp"

#include <string>
#include <vector>

namespace fleet::rig {

// An `ssh` first in PATH, for commanders that are made while it lives: logs its arguments, joins
// the remote words with blanks and has sh run them, on this machine.
class fake_ssh {
 public:
  fake_ssh();

  // Sourced before the remote words run, in place of what was there: $* is what would run.
  void first(const std::string& script) const { folder_.write("first", script); }
  // The shell that the remote words name becomes this one. Its folder comes first in PATH.
  void remote_shell(const std::string& path) const;

  // The arguments of each call so far.
  std::vector<std::vector<std::string>> calls() const;

 private:
  temp_dir folder_;
  scoped_variable path_;
};

}  // namespace fleet::rig
