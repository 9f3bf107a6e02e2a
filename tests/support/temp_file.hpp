// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace fleet::test {

/// A file with this content, for as long as the object lives.
class temp_file {
 public:
  explicit temp_file(std::string_view content)
      : path_(std::filesystem::temp_directory_path() / "fleet_test_XXXXXX") {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      std::abort();
    }
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  temp_file(const temp_file&) = delete;
  temp_file& operator=(const temp_file&) = delete;
  ~temp_file() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fleet::test
