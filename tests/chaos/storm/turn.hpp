// SPDX-License-Identifier: MIT
#pragma once

#include "chaos/storm/ledger.hpp"
#include "system/support/message.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fleet::chaos {

// One turn of a conversation: what is asked for and how it ended.
struct turn {
  std::string mark;  // the prompt's last word, unlike that of any other turn
  std::size_t tokens = 0;
  bool stream = false;
  std::string session;  // empty: the first turn, an id is to be given
  clock::time_point begin{};
  clock::time_point end{};
  rig::message answer;
};

// What the stand-in of this name says to it, all of it.
std::string expected_text(const turn& asked, const std::string& replica);
// The body of the request; `before` are earlier turns' marks and answers.
std::string body_of(const turn& asked, const std::vector<std::string>& before);

// How a turn ended.
struct verdict {
  std::string kind;                   // for the counts: "whole", "truncated", "502 replica_failed"
  bool whole = false;                 // a whole and right answer
  std::optional<std::string> broken;  // the rule it breaks
  std::string replica;                // who answered
  std::string text;                   // what it said, when whole
};

// Judges a turn by its answer and by what was harmed while it lived. In calm nothing but a whole
// answer will do.
//   whole       200, framed to its end, every piece of this turn's text in order, from the replica
//               that X-Replica names
//   truncated   200 and an end before its time: that replica or the router was harmed
//   an error    status, code and body as documented, and harm that explains it
//   no answer   the connection ended or was refused: the router was harmed
verdict judge(const turn& ended, const ledger& book, bool calm);

}  // namespace fleet::chaos
