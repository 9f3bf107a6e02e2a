// SPDX-License-Identifier: MIT
#include "replies.hpp"

#include "output_text.hpp"
#include "scripts.hpp"

#include "fleet/core/harmless.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace fleet {

namespace {

/// What follows the mark and `word` in the first such line; none when there is no such line.
std::optional<std::string_view> told(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(scripts::mark) && line.substr(scripts::mark.size()).starts_with(word)) {
      const auto rest = line.substr(scripts::mark.size() + word.size());
      if (rest.empty() || rest.front() == ' ') {
        return rest.empty() ? rest : rest.substr(1);
      }
    }
  }
  return std::nullopt;
}

/// The outputs of scripts::inspect and scripts::read_log: lines, then a log.
struct parts {
  std::string_view lines;
  std::optional<std::string_view> log;
};

/// Without the line whose beginning was cut away, unless that is all there is.
std::string_view whole_lines(std::string_view text) {
  const auto end = text.find('\n');
  return end == std::string_view::npos || end + 1 == text.size() ? text : text.substr(end + 1);
}

/// A log as it is shown: what a progress bar draws over itself is lines of their own.
std::string log_text(std::string_view log) {
  std::string text(log);
  std::replace(text.begin(), text.end(), '\r', '\n');
  return harmless(text);
}

parts split_log(std::string_view text) {
  const auto line = std::string(scripts::mark) + "log\n";
  for (auto at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') {
      const auto lines = text.substr(0, at);
      const auto log = text.substr(at + line.size());
      return {lines, told(lines, "cut") ? whole_lines(log) : log};
    }
  }
  return {text, std::nullopt};
}

/// How a shell writes an exit status: 128 and a signal's number for a signal.
std::optional<exit_status> shell_status(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number < 0 || number > 255) {
    return std::nullopt;
  }
  constexpr int signals_end = 128 + 65;
  return number > 128 && number < signals_end ? exit_status{.signal = number - 128}
                                              : exit_status{.code = number};
}

std::string unexpected(const command_end& end) {
  if (!end.reason.empty()) {
    return end.reason;
  }
  const auto said = last_lines(end.err.empty() ? end.out : end.err);
  return "the command ended well but did not do its work" + (said.empty() ? "" : ": " + said);
}

/// What OpenSSH says when it comes to no session, so that no command can have begun.
bool before_session(std::string_view line) {
  for (const std::string_view begin :
       {"ssh: connect to host ", "ssh: Could not resolve hostname ",
        "Host key verification failed.", "Connection timed out during banner exchange",
        "kex_exchange_identification: ", "ssh_exchange_identification: ", "banner exchange: ",
        "Unable to negotiate with ", "Bad owner or permissions on "}) {
    if (line.starts_with(begin)) {
      return true;
    }
  }
  const auto denied = line.find(": Permission denied (");
  const auto who = line.substr(0, denied);
  return (denied != std::string_view::npos && line.ends_with(").") &&
          who.find('@') != std::string_view::npos && who.find(' ') == std::string_view::npos) ||
         line.find(": Bad configuration option: ") != std::string_view::npos ||
         line.ends_with(" bad configuration options") ||
         (line.starts_with("Received disconnect from ") &&
          line.ends_with(": Too many authentication failures"));
}

/// What it may say after that. Alone, these may be about a session, too.
bool follows(std::string_view line) {
  return line.starts_with("Connection closed by ") || line.starts_with("Connection reset by ") ||
         line.starts_with("Disconnected from ") ||
         (line.starts_with("Connection to ") && line.ends_with(" timed out"));
}

/// Its last words are known to be such. Silence (LogLevel QUIET, a master connection that went) and
/// words of anybody else, such as a login's, tell nothing.
bool never_had_session(const std::string& err) {
  std::istringstream in(err);
  bool never = false;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!line.empty()) {
      never = before_session(line) || (never && follows(line));
    }
  }
  return never;
}

/// ssh ended, or was ended, and the remote command may have begun without a word of its end.
bool cut_off(const command_end& end) {
  return end.timed_out || end.how.signal != 0 ||
         (end.how.code == 255 && !never_had_session(end.err));
}

}  // namespace

launch_result launch_reply(const command_end& end, const std::string& instance) {
  launch_result result{.process = {.instance = instance}};
  const auto facts = told(end.out, "started");
  if (facts) {
    auto& process = result.process;
    std::istringstream in{std::string(*facts)};
    in >> process.process_group >> process.birth >> process.log_begin;
    result.started = !in.fail() && process.process_group > 1 && end.reason.empty();
  }
  if (!result.started) {
    result.reason = unexpected(end);
    // A script that could not start anything says so by a status of its own. Cut off (ssh's 255),
    // nobody knows how it went on. That it never said `begun` tells nothing then: the other side
    // may have run it all and be left with what it said.
    const bool own_status = !end.timed_out && end.how.code > 0 && end.how.code < 255;
    result.may_be_running = facts || cut_off(end) || (told(end.out, "begun") && !own_status);
  }
  return result;
}

stop_result stop_reply(const command_end& end, bool built_in) {
  const bool well = end.ran && !end.timed_out && end.how.good();
  if (well && (!built_in || told(end.out, "stopped"))) {
    return {.stopped = true};
  }
  return {.reason = unexpected(end)};
}

inspection inspect_reply(const command_end& end) {
  const auto [lines, log] = split_log(end.out);
  if (!log) {
    return {.reason = unexpected(end)};
  }
  inspection result{.known = true, .alive = told(lines, "alive").has_value()};
  if (const auto status = told(lines, "exited")) {
    if (const auto how = shell_status(*status)) {
      result.ended = true;
      result.how = *how;
    }
  }
  result.log = log_text(*log);
  return result;
}

log_answer read_log_reply(const command_end& end) {
  const auto [lines, log] = split_log(end.out);
  const auto size = told(lines, "size");
  if (!log || !size || !end.reason.empty()) {
    return {.outcome = log_outcome::failed, .message = unexpected(end)};
  }
  log_answer result{.outcome = log_outcome::read, .text = log_text(*log)};
  std::from_chars(size->data(), size->data() + size->size(), result.end);
  return result;
}

}  // namespace fleet
