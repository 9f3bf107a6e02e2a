// SPDX-License-Identifier: MIT
#include "launch/support/fake_ssh.hpp"

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

namespace fleet::rig {

namespace {

constexpr auto script = R"sh(#!/bin/sh
here=${0%/*}
{ printf '%s\000' "$@"; printf 'end of call\000'; } >>"$here/calls"
while :; do
  case $1 in
    -o | -i | -p | -l | -F) shift 2 ;;
    --) shift; break ;;
    -*) shift ;;
    *) break ;;
  esac
done
shift
[ ! -e "$here/first" ] || . "$here/first"
[ ! -e "$here/shell" ] || { shell=$(cat "$here/shell"); PATH=${shell%/*}:$PATH
  set -- "$(printf '%s' "$*" | sed "s,/bin/sh,$shell,g")"; exec "$shell" -c "$*"; }
exec sh -c "$*"
)sh";

std::string with_path(const std::string& folder) {
  return folder + ":" + ::getenv("PATH");
}

}  // namespace

fake_ssh::fake_ssh() : path_{"PATH", with_path(folder_.path())} {
  ::chmod(folder_.write("ssh", script).c_str(), 0755);
}

void fake_ssh::remote_shell(const std::string& path) const {
  folder_.write("shell", path);
}

std::vector<std::vector<std::string>> fake_ssh::calls() const {
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> call;
  for (auto& word : nul_words(read_file(folder_.path() + "/calls"))) {
    if (word == "end of call")
      all.push_back(std::exchange(call, {}));
    else
      call.push_back(std::move(word));
  }
  return all;
}

}  // namespace fleet::rig
