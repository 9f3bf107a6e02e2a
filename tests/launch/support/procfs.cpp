// SPDX-License-Identifier: MIT
#include "launch/support/procfs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace fleet::rig {

namespace {

std::string entry(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  try {
    return {std::istreambuf_iterator<char>{in}, {}};
  } catch (const std::ios_base::failure&) {
    return {};  // the process ended in the middle of the read
  }
}

std::vector<process_facts> all_processes() {
  std::vector<process_facts> found;
  for (const auto& each : std::filesystem::directory_iterator{"/proc"}) {
    const auto name = each.path().filename().string();
    process_facts facts;
    if (std::from_chars(name.data(), name.data() + name.size(), facts.pid).ec != std::errc{})
      continue;
    const auto text = read_file(entry(facts.pid, "stat"));
    if (text.empty())
      continue;
    std::istringstream rest{text.substr(text.rfind(')') + 1)};
    rest >> facts.state >> facts.parent >> facts.group >> facts.session;
    found.push_back(facts);
  }
  return found;
}

std::vector<pid_t> members_of(pid_t group) {
  std::vector<pid_t> members;
  for (const auto& each : all_processes())
    if (each.group == group && each.state != 'Z')
      members.push_back(each.pid);
  return members;
}

bool alive(pid_t pid) {
  const auto all = all_processes();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& each) { return each.pid == pid && each.state != 'Z'; });
}

std::vector<pid_t> zombies_of_this_process() {
  std::vector<pid_t> zombies;
  for (const auto& each : all_processes())
    if (each.parent == ::getpid() && each.state == 'Z')
      zombies.push_back(each.pid);
  return zombies;
}

std::size_t descriptors_of_this_process() {
  const std::filesystem::directory_iterator entries{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::vector<std::string> nul_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, '\0');)
    words.push_back(word);
  return words;
}

std::vector<std::string> environment_of(pid_t pid) {
  return nul_words(read_file(entry(pid, "environ")));
}

std::vector<pid_t> carriers_of(std::string_view line) {
  std::vector<pid_t> found;
  for (const auto& each : all_processes()) {
    const auto lines = environment_of(each.pid);
    if (std::find(lines.begin(), lines.end(), line) != lines.end())
      found.push_back(each.pid);
  }
  return found;
}

}  // namespace fleet::rig
