// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace fleet::rig {

// A variable of this process, put back in the end.
class scoped_variable {
 public:
  scoped_variable(std::string name, const std::string& value) : name_{std::move(name)} {
    if (const char* now = ::getenv(name_.c_str()))
      before_ = now;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~scoped_variable() {
    if (before_)
      ::setenv(name_.c_str(), before_->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace fleet::rig
