// SPDX-License-Identifier: MIT
// What the lines of the log add to the metrics of the fleet.
#include "fleet/http/fleet_tally.hpp"

#include "lane_fixture.hpp"
#include "metrics_fleet.hpp"

#include <chrono>
#include <thread>

using namespace fleet;
using namespace fleet::http;

namespace {

struct tallied {
  silent_log next;
  fleet_tally log{next};

  double launches(std::size_t outcome) const { return log.counts().launches[outcome].Value(); }
};

}  // namespace

TEST_CASE_FIXTURE(tallied, "a launch counts when its replica is ready, with its time") {
  log.info("replica_launching", {{"replica", "n-d0"}, {"instance", "i"}});
  CHECK(launches(0) == 0);
  log.info("replica_phase", {{"replica", "n-d0"}, {"phase", "ready"}});
  CHECK(launches(0) == 1);
  CHECK(log.counts().launch_time.Collect().histogram.sample_count == 1);
  // A replica that comes back was not launched anew; a static one never was.
  log.info("replica_phase", {{"replica", "n-d0"}, {"phase", "ready"}});
  log.info("replica_phase", {{"replica", "static"}, {"phase", "ready"}});
  CHECK(launches(0) == 1);
}

TEST_CASE_FIXTURE(tallied, "a launch that fails counts, also one before anything was spawned") {
  log.info("replica_launching", {{"replica", "n-d0"}, {"instance", "i"}});
  log.warn("replica_phase", {{"replica", "n-d0"}, {"phase", "starting"}});
  log.warn("launch_failed", {{"slot", "n-d0"}, {"reason", "exit status 1"}});
  log.info("replica_phase", {{"replica", "n-d0"}, {"phase", "ready"}});
  CHECK(launches(launch_failed) == 1);
  CHECK(launches(launch_ready) == 0);
  log.warn("launch_failed", {{"slot", "n-d0"}, {"reason", "address_in_use"}});
  CHECK(launches(launch_failed) == 2);
}

TEST_CASE_FIXTURE(tallied,
                  "a launch that was called off counts as none, and no time of a later one") {
  log.info("replica_launching", {{"replica", "n-d0"}, {"instance", "i"}});
  log.info("replica_stopped", {{"replica", "n-d0"}, {"instance", "i"}});
  log.info("replica_phase", {{"replica", "n-d0"}, {"phase", "ready"}});
  CHECK(launches(launch_failed) + launches(launch_ready) == 0);
  // One whose stop could not be confirmed, and that was released.
  log.info("replica_launching", {{"replica", "n-d1"}, {"instance", "j"}});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto before = std::chrono::steady_clock::now();
  log.info("replica_launching", {{"replica", "n-d1"}, {"instance", "k"}});
  log.info("replica_phase", {{"replica", "n-d1"}, {"phase", "ready"}});
  const std::chrono::duration<double> most = std::chrono::steady_clock::now() - before;
  CHECK(log.counts().launch_time.Collect().histogram.sample_sum <= most.count());
}

TEST_CASE_FIXTURE(tallied, "losses, abandoned slots, unconfirmed stops and drains count") {
  log.warn("replica_lost", {{"slot", "n-d0"}});
  log.error("slot_abandoned", {{"slot", "n-d0"}});
  log.warn("stop_unconfirmed", {{"slot", "n-d0"}});
  log.info("replica_drained", {{"replica", "n-d0"}, {"after", "1.5"}, {"ended", "timeout"}});
  log.info("replica_drained", {{"replica", "n-d0"}, {"after", "0.5"}, {"ended", "unheard of"}});
  const auto& counts = log.counts();
  CHECK(counts.losses.Value() == 1);
  CHECK(counts.abandonments.Value() == 1);
  CHECK(counts.unconfirmed.Value() == 1);
  CHECK(counts.drains[0].Value() == 0);
  CHECK(counts.drains[1].Value() == 1);
  CHECK(counts.drain_time.Collect().histogram.sample_sum == 1.5);
}

TEST_CASE_FIXTURE(tallied, "every line goes on") {
  log.info("replica_launching", {{"replica", "n-d0"}});
  log.error("anything", {});
  CHECK(next.events == std::vector<std::string>{"replica_launching", "anything"});
}
