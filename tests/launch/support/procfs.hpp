// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace fleet::rig {

// One process as procfs shows it.
struct process_facts {
  pid_t pid = 0;
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
};

std::vector<process_facts> all_processes();
// Of all but zombies.
std::vector<pid_t> members_of(pid_t group);
// Runs, and is no zombie.
bool alive(pid_t pid);
std::vector<pid_t> zombies_of_this_process();
std::size_t descriptors_of_this_process();

std::string read_file(const std::string& path);
// The words of a file that separates, or ends, them by NUL.
std::vector<std::string> nul_words(const std::string& text);
std::vector<std::string> environment_of(pid_t pid);
// Whoever has NAME=VALUE in its environment.
std::vector<pid_t> carriers_of(std::string_view line);

}  // namespace fleet::rig
