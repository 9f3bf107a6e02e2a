// SPDX-License-Identifier: MIT
// What the commands do. Each gives the exit status.
#pragma once

#include "client.hpp"
#include "model.hpp"
#include "options.hpp"
#include "screens.hpp"
#include "terminal.hpp"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fleet::ctl {

/// Exit statuses.
enum exit_code : int {
  exit_done = 0,
  exit_refused = 1,  ///< by the router, or what was asked for failed
  exit_usage = 2,
  exit_unreachable = 3,  ///< no router, or no answer that is one
  exit_timed_out = 4,    ///< --timeout was over
};

/// What every command needs.
struct session {
  const invocation& asked;
  const client& router;
  const terminal& screen;

  /// Whether there is a person to tell how far it is.
  [[nodiscard]] bool tells() const {
    return asked.output == output_format::table || asked.output == output_format::wide;
  }
  [[nodiscard]] bool late() const { return router.late(); }
};

/// Why an answer is not what was asked for, and what to try next: one line for standard error.
struct complaint {
  int status = exit_refused;
  std::string text;
};
[[nodiscard]] complaint complaint_of(const answer& from, const client& router);

/// Prints it on standard error; gives its status.
int complain(const complaint& what);
int complain(const session& at, const answer& from);

/// All that the status shows. `failed` is the first answer that was none.
[[nodiscard]] std::optional<fleet_picture> look(const client& router, answer& failed,
                                                const std::stop_token& stop = {});

int show_status(const session& at);
int show_replicas(const session& at);
int show_slots(const session& at);
int show_health(const session& at);
int show_version(const session& at);
int check_file(const session& at);
int add_replicas(const session& at);
int remove_replicas(const session& at);
int scale_replicas(const session& at);
int release_slot(const session& at);
int show_logs(const session& at);
int watch_fleet(const session& at);
int show_events(const session& at);
int show_session(const session& at);

/// Launches on these slots, an empty name for any free one; shows it, and with `wait` until each,
/// and each that is under way already, is ready or has failed.
int launch_all(const session& at, const std::vector<std::string>& slots, bool wait,
               const std::vector<replica>& under_way_already);
/// Drains and stops these; with `wait` until each is gone.
int remove_all(const session& at, const std::vector<std::string>& names, bool wait);

}  // namespace fleet::ctl
