// SPDX-License-Identifier: MIT
#include "fleet/core/slot_life.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fleet {

namespace {

using enum slot_stage;

// By what runs on it.
constexpr std::array<std::pair<slot_stage, slot_stage>, 18> moves{{
    {free, reserved},
    {reserved, free},  // something answers there already, or it is not wanted any more
    {reserved, launching},
    {reserved, loading},      // adopted: an earlier router launched it
    {reserved, unconfirmed},  // an earlier router did, or may have, and nothing answers
    {launching, free},        // the launch failed and nothing was started
    {launching, loading},
    {launching, stopping},  // the launch failed and something may run all the same
    {loading, serving},
    {loading, draining},
    {serving, draining},
    {draining, stopping},
    {stopping, confirming},
    {stopping, unconfirmed},
    {confirming, free},
    {confirming, unconfirmed},
    {unconfirmed, loading},  // adopted after all
    {unconfirmed, free},     // an operator says so
}};

// By a decision, while nothing does.
constexpr std::array<std::pair<slot_stage, slot_stage>, 5> decisions{{
    {free, waiting},
    {free, abandoned},
    {waiting, free},  // no replacement is wanted any more
    {waiting, reserved},
    {abandoned, reserved},  // an operator asks for it
}};

}  // namespace

bool may_move(slot_stage from, slot_stage to) {
  const std::pair move{from, to};
  return std::find(moves.begin(), moves.end(), move) != moves.end() ||
         std::find(decisions.begin(), decisions.end(), move) != decisions.end();
}

bool in_use(slot_stage s) {
  return s != free && s != unconfirmed && s != waiting && s != abandoned;
}

bool slot_life::move(slot_stage to) {
  if (!may_move(now_, to))
    return false;
  now_ = to;
  return true;
}

std::string to_string(slot_stage s) {
  switch (s) {
    case free:
      return "free";
    case reserved:
      return "reserved";
    case launching:
      return "launching";
    case loading:
      return "loading";
    case serving:
      return "serving";
    case draining:
      return "draining";
    case stopping:
      return "stopping";
    case confirming:
      return "confirming";
    case unconfirmed:
      return "unconfirmed";
    case waiting:
      return "waiting";
    case abandoned:
      return "abandoned";
  }
  return "unknown";
}

}  // namespace fleet
