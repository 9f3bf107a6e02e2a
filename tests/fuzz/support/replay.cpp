// SPDX-License-Identifier: MIT
// Plays files through one target without the fuzzing engine: `replay FILE|FOLDER...`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& place) {
  if (!std::filesystem::is_directory(place)) {
    return {place};
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool play(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return false;
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  // To be seen before a crash.
  std::fprintf(stderr, "%s\n", file.c_str());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t played = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& file : files_in(argv[i])) {
      if (!play(file)) {
        return 1;
      }
      ++played;
    }
  }
  std::fprintf(stderr, "%zu files\n", played);
  return played == 0 ? 1 : 0;
}
