// SPDX-License-Identifier: MIT
// The completion script for bash, in a bash.
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

/// What completing this line offers, and on its first line how fleetctl was asked for names.
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
  const std::string command = "bash " + script.path() + " '" + typed + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  std::string out;
  std::array<char, 4096> piece{};
  while (const auto n = std::fread(piece.data(), 1, piece.size(), pipe.get()))
    out.append(piece.data(), n);
  return out;
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
