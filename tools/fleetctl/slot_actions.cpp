// SPDX-License-Identifier: MIT
// release and logs.
#include "actions.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace fleet::ctl {

namespace {

constexpr std::chrono::milliseconds follow_pause{500};
/// Over ssh the router may take its time to read a log.
constexpr std::chrono::seconds log_limit{130};

std::string since_when(const std::optional<wall_time>& since) {
  return since ? span_text(std::chrono::system_clock::now() - *since) + " ago" : std::string("?");
}

/// What is known about an unconfirmed slot, for whoever has to decide.
lines known_about(const slot_note& note, const std::vector<slot>& slots) {
  lines out{{{note.slot + " is unconfirmed: " + note.reason, paint::bold}},
            {{"  since    " + since_when(note.since)}}};
  if (!note.detail.empty()) {
    out.push_back({{"  because  " + note.detail}});
  }
  const auto found = std::find_if(slots.begin(), slots.end(),
                                  [&](const slot& each) { return each.name == note.slot; });
  if (found != slots.end()) {
    out.push_back({{"  host     " + found->host + ", devices " + found->devices}});
    out.push_back({{"  address  " + found->address}});
  }
  out.push_back(
      {{"Released, it is launched on again. If its processes still run, two will share"}});
  out.push_back({{"the devices."}});
  return out;
}

bool confirmed() {
  std::fputs("Are its devices free for certain? [y/N] ", stderr);
  std::string typed;
  std::getline(std::cin, typed);
  return typed == "y" || typed == "Y" || typed == "yes";
}

request log_question(const session& at, const std::string& query) {
  return {.target = "/slots/" + encoded(at.asked.operands.front()) + "/log?" + query,
          .limit = log_limit};
}

void write_log(const session& at, const std::string& text) {
  at.screen.write(at.screen.live() ? printable_lines(text) : text);
}

}  // namespace

int release_slot(const session& at) {
  const auto& name = at.asked.operands.front();
  const auto got = at.router.get("/replicas");
  const auto members = read_pool(got.body);
  if (!got.good() || !members) {
    return complain(at, got);
  }
  const auto& notes = members->left.unconfirmed;
  const auto note = std::find_if(notes.begin(), notes.end(),
                                 [&](const slot_note& each) { return each.slot == name; });
  const auto slots = read_slots(at.router.get("/slots").body).value_or(std::vector<slot>());
  if (note == notes.end()) {
    const bool known = std::any_of(slots.begin(), slots.end(),
                                   [&](const slot& each) { return each.name == name; });
    return complain({exit_refused, known || slots.empty()
                                       ? printable(name) + " is not unconfirmed; `fleetctl slots` "
                                                           "shows where each slot stands"
                                       : "there is no slot " + printable(name) +
                                             "; `fleetctl slots` lists them"});
  }
  std::fputs(rendered(known_about(*note, slots), {}).c_str(), stderr);
  if (!at.asked.yes) {
    if (::isatty(STDIN_FILENO) == 0) {
      return complain({exit_usage, "nobody to ask here; --yes says that its devices are free"});
    }
    if (!confirmed()) {
      return complain({exit_refused, "not released"});
    }
  }
  const auto released =
      at.router.call({.method = "POST", .target = "/slots/" + encoded(name) + "/release"});
  if (released.router == reached::no || !released.good()) {
    return complain(at, released);
  }
  if (at.asked.output == output_format::json) {
    at.screen.write(released.body + "\n");
  } else {
    at.screen.write(printable(name) +
                    (at.asked.output == output_format::name ? "\n" : "  released\n"));
  }
  return exit_done;
}

int show_logs(const session& at) {
  auto got = at.router.call(log_question(at, "tail=" + std::to_string(at.asked.tail)));
  for (;;) {
    if (got.router == reached::no || !got.good()) {
      return complain(at, got);
    }
    write_log(at, got.body);
    if (!at.asked.follow) {
      return exit_done;
    }
    if (at.late()) {
      return exit_timed_out;
    }
    std::this_thread::sleep_for(follow_pause);
    got = at.router.call(log_question(at, "after=" + got.fields["x-log-end"]));
  }
}

}  // namespace fleet::ctl
