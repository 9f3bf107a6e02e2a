// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/chance.hpp"
#include "sim/world/judge.hpp"
#include "sim/world/router_life.hpp"
#include "sim/world/shape.hpp"
#include "sim/world/timeline.hpp"
#include "sim/world/trace.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace fleet::sim {

/// A fault planted into the world on purpose, to show that the rule which forbids it is checked.
enum class sabotage : std::uint8_t {
  none,
  second_process,   ///< a launch starts two
  hidden_process,   ///< a launch that failed for good leaves a process behind
  false_silence,    ///< a stop and the network say it is gone, and it lives
  forgetful_disk,   ///< what was said to be on the disk is not
  mute_commander,   ///< a launch is never answered
  lying_probe,      ///< a replica that is gone is told to be well
  stale_answers,    ///< turns are sent where an earlier turn of their session was sent
  lost_turn,        ///< a turn is never given back
  double_finish,    ///< a turn is given back twice
  secret_operator,  ///< somebody launches behind the judge's back
  impatient_stop,   ///< a stop that went well is told to have failed
  endless_illness,  ///< a static replica never answers
  slander,          ///< a replica that is well is told to be silent
  sticky_disk,      ///< what was said to be erased is still there
  mortal_prober,    ///< the router's prober dies
};

/// What all parts of one world share. One thread.
struct context {
  context(shape s, std::uint64_t seed, std::size_t lines, sabotage h)
      : made_of(std::move(s)), luck(seed), events(lines), judge(made_of), harm(h) {}

  shape made_of;
  chance luck;
  trace events;
  timeline plan;
  moment now{0};
  sim::judge judge;
  sabotage harm;
  std::unique_ptr<router_life> router;  ///< null while it is down
  std::uint64_t life = 0;               ///< grows with each start of the router
  bool calm = false;                    ///< no more faults
  bool dirty = false;                   ///< something changed that is worth a look at the whole

  void note(std::string_view what, std::string_view about = {}, std::string_view detail = {}) {
    events.note(now, what, about, detail);
  }

  void after(duration delay, std::function<void()> what) { plan.at(now + delay, std::move(what)); }

  /// Runs `what` then, if that router still lives.
  void answer_after(duration delay, std::function<void()> what) {
    after(delay, [this, in = life, what = std::move(what)] {
      if (router && in == life)
        what();
    });
  }
};

}  // namespace fleet::sim
