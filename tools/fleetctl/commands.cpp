// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <algorithm>
#include <numeric>

namespace fleet::ctl {

namespace {

std::string option_line(const option& each) {
  std::string words = each.letter != 0 ? std::string("  -") + each.letter + ", " : "      ";
  words += "--" + each.name + (each.argument.empty() ? "" : " " + each.argument);
  words.resize(std::max<std::size_t>(words.size() + 2, 30), ' ');
  return words + each.meaning + "\n";
}

/// Edits that turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<option>& global_options() {
  static const std::vector<option> all{
      {"router", 0, "URL", "the router; also FLEETCTL_ROUTER [http://127.0.0.1:8000]"},
      {"token-file", 0, "FILE", "the admin token from a file; also FLEETCTL_TOKEN", names_a::file},
      {"token", 0, "TOKEN", "the admin token itself; shows in `ps`"},
      {"ca-file", 0, "FILE", "https: trust this CA bundle instead of the system's", names_a::file},
      {"insecure-skip-verify", 0, "", "https: do not verify the certificate"},
      {"output", 'o', "FORMAT", "table, wide, json or name [table]", names_a::format},
      {"timeout", 0, "S", "seconds until it gives up waiting, exit 4", names_a::number},
      {"no-color", 0, "", "no colours; also NO_COLOR"},
      {"help", 'h', "", "this text"},
      {"version", 0, "", "print the version, exit"},
  };
  return all;
}

const std::vector<option>& command_options() {
  static const std::vector<option> all{
      {"count", 'n', "N", "that many replicas [1]", names_a::number},
      {"wait", 0, "", "wait until it is done, and show how far it is"},
      {"no-wait", 0, "", "return once it has begun"},
      {"yes", 'y', "", "do not ask"},
      {"follow", 'f', "", "go on with what is written from now on, until Ctrl-C"},
      {"tail", 0, "N", "lines from the end [100]", names_a::number},
      {"json", 0, "", "one JSON object a line, as -o json"},
  };
  return all;
}

const std::vector<command>& commands() {
  static const std::vector<command> all{
      {"status", "", "one screen: totals, replicas, slots, and what needs a human", "", {}},
      {"replicas", "", "every replica with its phase and load", "", {}},
      {"slots", "", "every declared slot and what it is doing", "", {}},
      {"add",
       "[SLOT]",
       "launch a replica, on this slot or on the next free one",
       "With --wait it shows each launch with its time, phase and last log line, until the "
       "replica\n"
       "is ready or has failed.",
       {"count", "wait"},
       0,
       1,
       names_a::slot},
      {"remove",
       "NAME...",
       "drain and stop launched replicas",
       "It waits until each is drained, stopped and confirmed, and shows the requests left. The\n"
       "router goes on with it when fleetctl is interrupted.",
       {"no-wait"},
       1,
       10000,
       names_a::replica},
      {"scale",
       "N",
       "launch or remove replicas until the router runs N of its own",
       "Replicas that are not ready go first, then those with the fewest requests.",
       {"wait"},
       1,
       1},
      {"release",
       "SLOT",
       "say that an unconfirmed slot's devices are free",
       "The router could not confirm that what it launched there is gone. Look at the machine\n"
       "first: a second process on held devices fails or damages both.",
       {"yes"},
       1,
       1,
       names_a::slot},
      {"logs",
       "SLOT",
       "the end of a slot's launch log, from the machine that runs it",
       "",
       {"follow", "tail"},
       1,
       1,
       names_a::slot},
      {"watch", "", "the status, redrawn until Ctrl-C; piped: a line for each change", "", {}},
      {"events",
       "",
       "what happened to the fleet: replicas lost, replaced, launched, drained",
       "The router keeps the last 1024 since it was started. With --follow it goes on, also after\n"
       "the router was started again.",
       {"follow", "tail", "json"}},
      {"session",
       "ID",
       "where a conversation is pinned, and why",
       "ID is what the router's answers carry as X-Session-Id.",
       {},
       1,
       1},
      {"health", "", "the router's own health; exit 1 when no replica is routable", "", {}},
      {"check",
       "FILE",
       "validate a fleet file as the router does, print its slots",
       "Reads the file here and asks no router.",
       {},
       1,
       1,
       names_a::file},
      {"completion",
       "bash|zsh|fish",
       "print a completion script",
       "For bash: source <(fleetctl completion bash)",
       {},
       1,
       1,
       names_a::shell},
      {"version", "", "the versions of fleetctl and of the router", "", {}},
      {"help", "[COMMAND]", "this text, or a command's", "", {}, 0, 1},
  };
  return all;
}

const command* find_command(std::string_view name) {
  const auto& all = commands();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const command& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string nearest_command(std::string_view typed) {
  const auto& all = commands();
  const auto near = std::min_element(all.begin(), all.end(), [typed](const auto& a, const auto& b) {
    return distance(typed, a.name) < distance(typed, b.name);
  });
  return distance(typed, near->name) <= 2 ? near->name : std::string();
}

std::string general_help() {
  std::string text =
      "fleetctl: looks after a pypto-serving-router and its replicas\n\n"
      "usage: fleetctl [OPTIONS] COMMAND [ARGUMENTS]\n\n";
  for (const auto& each : commands()) {
    std::string words = "  " + each.name + (each.operands.empty() ? "" : " " + each.operands);
    words.resize(std::max<std::size_t>(words.size() + 2, 28), ' ');
    text += words + each.summary + "\n";
  }
  text += "\nOptions, before or behind the command:\n";
  for (const auto& each : global_options()) {
    text += option_line(each);
  }
  return text +
         "\nA router's URL without a port means 8000, with https:// 443.\n"
         "\nExit status: 0 done, 1 refused by the router or failed, 2 usage, 3 router "
         "unreachable,\n"
         "4 timed out waiting. `fleetctl COMMAND --help` says more about a command.\n";
}

std::string usage_of(const command& which) {
  std::string text = "usage: fleetctl " + which.name;
  for (const auto& each : command_options()) {
    if (std::count(which.options.begin(), which.options.end(), each.name) != 0) {
      text += each.letter != 0 ? std::string(" [-") + each.letter : " [--" + each.name;
      text += (each.argument.empty() ? "" : " " + each.argument) + "]";
    }
  }
  return text + (which.operands.empty() ? "" : " " + which.operands);
}

std::string help_of(const command& which) {
  std::string text = "fleetctl " + which.name + ": " + which.summary + "\n\n" + usage_of(which) +
                     "\n" + (which.help.empty() ? "" : "\n" + which.help + "\n");
  if (!which.options.empty()) {
    text += "\nOptions:\n";
    for (const auto& each : command_options()) {
      if (std::count(which.options.begin(), which.options.end(), each.name) != 0) {
        text += option_line(each);
      }
    }
  }
  return text + "\nThe options of every command: fleetctl --help\n";
}

}  // namespace fleet::ctl
