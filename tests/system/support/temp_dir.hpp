// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fleet::rig {

// A fresh directory, removed with all it holds.
class temp_dir {
 public:
  temp_dir() : path_{std::filesystem::temp_directory_path().string() + "/fleet-system-XXXXXX"} {
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error{"mkdtemp " + path_};
  }
  ~temp_dir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file and gives its path.
  std::string write(const std::string& name, std::string_view text) const {
    auto path = path_ + "/" + name;
    std::ofstream{path} << text;
    return path;
  }

 private:
  std::string path_;
};

}  // namespace fleet::rig
