// SPDX-License-Identifier: MIT
#include "text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace fleet {

namespace {

struct closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

failure system_failure(const std::string& path, int error) {
  return {path + ": " + std::generic_category().message(error)};
}

}  // namespace

outcome<std::string> read_text_file(const std::string& path, std::size_t limit) {
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    return system_failure(path, errno);
  }
  std::string text;
  std::array<char, 16 * 1024> piece;
  while (const auto got = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), got);
    if (text.size() > limit) {
      return failure{path + ": larger than " + std::to_string(limit) + " bytes"};
    }
  }
  if (std::ferror(file.get()) != 0) {
    return system_failure(path, errno);
  }
  return text;
}

}  // namespace fleet
