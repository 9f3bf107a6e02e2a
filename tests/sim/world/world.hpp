// SPDX-License-Identifier: MIT
#pragma once

#include "sim/world/faults.hpp"

#include "fleet/core/log.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace fleet::sim {

/// How one run went.
struct outcome_of_run {
  std::uint64_t hash = 0;
  std::optional<violation> broken;
  std::deque<std::string> last;  ///< the last events, when they were asked for
  std::uint64_t messages = 0;
  std::uint64_t lives = 0;  ///< of the router
  std::uint64_t launches = 0;
  moment lasted{0};
};

/// One simulated world around real actors. One thread.
class world final : public outside, public logger {
 public:
  /// `lines`: how many of the last events are kept as text.
  world(shape made_of, std::uint64_t seed, std::size_t lines, sabotage harm);
  ~world() override;

  /// From the start through the faults to rest, then everything is put to use again, and ends.
  outcome_of_run run();

  // -- for a story of one's own ---------------------------------------------

  void start_router();
  /// Lets this much time pass.
  void play(duration time);
  /// No looks at the whole, which cost as much as the fleet is large.
  void look_away() { looks_ = false; }
  [[nodiscard]] context& shared() { return shared_; }
  [[nodiscard]] machines& there() { return there_; }
  [[nodiscard]] std::uint64_t messages() const;

  // -- outside --------------------------------------------------------------

  void probe(question q, const endpoint& where, duration limit) override;
  void launch(question q, const launch_order& order) override;
  void stop(question q, const stop_order& order) override;
  void inspect(question q, const inspect_order& order) override;
  void record(question q, const slot_record& what) override;
  void erase(question q, const std::string& slot) override;

  // -- logger ---------------------------------------------------------------

  void write(log_level level, std::string_view event,
             std::initializer_list<log_field> fields) override;

 private:
  [[nodiscard]] bool over() const { return shared_.judge.found().has_value(); }
  [[nodiscard]] bool step(moment until);
  void crash();
  void come_back();
  void end_router();
  void hot_moment();
  std::optional<pool_view> view();
  void look();
  void come_to_rest();
  void use_everything();
  void shut_down();

  context shared_;
  machines there_;
  commands given_;
  disk file_;
  clients turns_;
  operators people_;
  faults faults_;
  bool looks_ = true;
  bool dead_ = false;    // what the router still does is nobody's business
  bool ending_ = false;  // an orderly shutdown is under way
  std::uint64_t messages_ = 0;
  std::uint64_t launches_ = 0;
  std::uint64_t minted_ = 0;
};

/// A whole run of this seed.
[[nodiscard]] outcome_of_run run_seed(std::uint64_t seed, std::size_t lines = 0,
                                      sabotage harm = sabotage::none);

}  // namespace fleet::sim
