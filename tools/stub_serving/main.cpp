// SPDX-License-Identifier: MIT
#include "options.hpp"
#include "server.hpp"

#include <iostream>

int main(int argc, char** argv) {
  const auto read = fleet::stub::parse_options(argc, argv);
  if (!read) {
    std::cerr << "stub-serving: " << read.error() << std::endl;
    return 2;
  }
  if (!read.value()) {
    std::cout << fleet::stub::usage();
    return 0;
  }
  return fleet::stub::serve(*read.value());
}
