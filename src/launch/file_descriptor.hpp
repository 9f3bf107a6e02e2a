// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/core/outcome.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fleet {

/// Owns a descriptor; closes it.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(other.release()) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// A pipe whose ends no other program inherits.
struct pipe_ends {
  file_descriptor read;
  file_descriptor write;
};

[[nodiscard]] inline outcome<pipe_ends> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return failure{"cannot make a pipe: " + std::generic_category().message(errno)};
  }
  return pipe_ends{file_descriptor(ends[0]), file_descriptor(ends[1])};
}

}  // namespace fleet
