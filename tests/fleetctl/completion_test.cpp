// SPDX-License-Identifier: MIT
// The completion scripts, each in its shell.
#include "completion.hpp"

#include "support/temp_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

using namespace fleet::ctl;
using fleet::test::temp_file;

namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  std::string out;
  std::array<char, 4096> piece{};
  while (const auto n = std::fread(piece.data(), 1, piece.size(), pipe.get()))
    out.append(piece.data(), n);
  return out;
}

/// What completing this line in bash offers, and on its first line how fleetctl was asked for
/// names.
std::string completed(const std::string& typed) {
  // The script silences fleetctl's own errors, so the stand-in writes elsewhere.
  const temp_file script(completion_script("bash") + R"bash(
fleetctl() { echo "asked $*" >&3; echo n-d0 n-d1; }
COMP_LINE=$1
COMP_POINT=${#COMP_LINE}
# Bash makes a word of its own of each colon and equals sign.
read -ra COMP_WORDS <<<"$(sed -E 's/[:=]+/ & /g' <<<"$COMP_LINE")"
[[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
exec 3>&1
_fleetctl
echo "${COMPREPLY[*]}"
)bash");
  return output_of("bash " + script.path() + " '" + typed + "'");
}

/// Skips what needs a shell that is not installed.
bool there_is(const std::string& shell) {
  const bool found = !output_of("command -v " + shell).empty();
  if (!found)
    MESSAGE("skipped: no ", shell);
  return found;
}

/// What the script for zsh finds on this line of the router to ask. Its completion itself needs a
/// terminal.
std::string zsh_where(const std::string& typed) {
  const temp_file script("compdef() { : }\n" + completion_script("zsh") +
                         "words=(${(z)1}); [[ $1 == *' ' ]] && words+=('')\n"
                         "CURRENT=$#words; where=(); _fleetctl_line; print -r -- $where\n");
  return output_of("zsh -f " + script.path() + " '" + typed + "'");
}

/// What fish offers for this line, and on its first line how fleetctl was asked for names.
std::string fish_offer(const std::string& typed) {
  const temp_file script(completion_script("fish") +
                         "function fleetctl; echo \"asked $argv\" >&3; echo n-d0 n-d1; end\n"
                         "complete -C $argv[1]\n");
  return output_of("fish --no-config " + script.path() + " '" + typed + "' 3>&1");
}

}  // namespace

TEST_CASE("bash completes commands, options and names") {
  CHECK(completed("fleetctl ver") == "version\n");
  CHECK(completed("fleetctl logs --fo") == "--follow\n");
  CHECK(completed("fleetctl -o ") == "table wide json name\n");
  CHECK(completed("fleetctl completion z") == "zsh\n");
}

TEST_CASE("bash asks the router that the line names for the names") {
  for (const std::string where :
       {"--router http://h:8000", "--router=http://h:8000", "--token-file /t --ca-file /c",
        "--insecure-skip-verify --token x"}) {
    CAPTURE(where);
    const auto offer = completed("fleetctl " + where + " logs n-");
    CHECK(offer.find(where + " slots -o name") != std::string::npos);
    CHECK(offer.ends_with("n-d0 n-d1\n"));
    CHECK(completed("fleetctl logs " + where + " ").find(where + " slots -o name") !=
          std::string::npos);
  }
  CHECK(completed("fleetctl --token-file ~/t remove ").find("--token-file /") != std::string::npos);
}

TEST_CASE("zsh asks the router that the line names for the names") {
  CHECK(completion_script("zsh").find("fleetctl \"${where[@]}\" slots -o name") !=
        std::string::npos);
  if (!there_is("zsh"))
    return;
  for (const std::string where :
       {"--router http://h:8000", "--router=http://h:8000", "--token-file /t --ca-file /c",
        "--insecure-skip-verify --token x"}) {
    CAPTURE(where);
    CHECK(zsh_where("fleetctl " + where + " logs n-") == where + "\n");
    CHECK(zsh_where("fleetctl logs " + where + " ") == where + "\n");
  }
  CHECK(zsh_where("fleetctl --token-file ~/t remove ").starts_with("--token-file /"));
  CHECK(zsh_where("fleetctl logs --router http://h") == "\n");
}

TEST_CASE("fish completes commands, options and names") {
  if (!there_is("fish"))
    return;
  CHECK(fish_offer("fleetctl ver").starts_with("version\t"));
  CHECK(fish_offer("fleetctl --router http://h ver").starts_with("version\t"));
  CHECK(fish_offer("fleetctl logs --fol").find("--follow\t") != std::string::npos);
  CHECK(fish_offer("fleetctl -o wi").starts_with("wide\t"));
}

TEST_CASE("fish asks the router that the line names for the names") {
  if (!there_is("fish"))
    return;
  for (const std::string where :
       {"--router http://h:8000", "--router=http://h:8000", "--token-file /t --ca-file /c",
        "--insecure-skip-verify --token x"}) {
    CAPTURE(where);
    const auto offer = fish_offer("fleetctl " + where + " logs n-");
    CHECK(offer.find("asked " + where + " slots -o name\n") != std::string::npos);
    CHECK(offer.ends_with("n-d0\nn-d1\n"));
    CHECK(fish_offer("fleetctl logs " + where + " ").find("asked " + where + " slots") !=
          std::string::npos);
  }
}
