// SPDX-License-Identifier: MIT
// The commands that only look.
#include "actions.hpp"
#include "text.hpp"

#include "fleet/config/fleet_file.hpp"

#include <cstdlib>
#include <utility>

namespace fleet::ctl {

namespace {

/// The answer is what was asked for; else it was complained about, and `status` says how.
bool good(const session& at, const answer& got, int& status) {
  if (got.router == reached::yes && got.good()) {
    return true;
  }
  status = complain(at, got);
  return false;
}

/// A JSON answer as it came, on one line.
void write_json(const session& at, const std::string& body) {
  at.screen.write((at.screen.live() ? printable(body) : body) + "\n");
}

template <class All, class Name>
void write_names(const session& at, const All& all, Name name) {
  for (const auto& each : all) {
    at.screen.write(printable(name(each)) + "\n");
  }
}

/// Rows are cut to the terminal, except where everything is asked for.
style table_style(const session& at) {
  return at.asked.output == output_format::wide ? at.screen.free_style() : at.screen.fitted_style();
}

int not_a_router(const session& at, answer got) {
  got.body.clear();
  return complain(at, got);
}

}  // namespace

std::optional<fleet_picture> look(const client& router, answer& failed,
                                  const std::stop_token& stop) {
  fleet_picture all{.url = router.router().text()};
  const auto ask = [&](const char* target) {
    failed = router.get(target, stop);
    return failed.router == reached::yes &&
           (failed.good() || (failed.status == 503 && std::string_view(target) == "/health"));
  };
  if (!ask("/health")) {
    return std::nullopt;
  }
  const auto totals = read_health(failed.body);
  if (!totals || totals->status.empty() || !ask("/replicas")) {
    return std::nullopt;
  }
  const auto members = read_pool(failed.body);
  if (!members || !ask("/slots")) {
    return std::nullopt;
  }
  const auto slots = read_slots(failed.body);
  if (!slots || !ask("/version")) {
    return std::nullopt;
  }
  all.totals = *totals;
  all.members = *members;
  all.slots = *slots;
  all.version = read_text(failed.body, "version");
  return all;
}

int show_status(const session& at) {
  answer failed;
  if (at.asked.output == output_format::json) {
    std::string out;
    for (const auto& [key, target] :
         {std::pair{"{\"health\":", "/health"}, std::pair{",\"pool\":", "/replicas"},
          std::pair{",\"slots\":", "/slots"}}) {
      const auto got = at.router.get(target);
      if (int status = 0; got.status != 503 && !good(at, got, status)) {
        return status;
      }
      out += key + got.body;
    }
    write_json(at, out + "}");
    return exit_done;
  }
  const auto all = look(at.router, failed);
  if (!all) {
    return complain(at, failed);
  }
  if (at.asked.output == output_format::name) {
    at.screen.write(printable(all->totals.status) + "\n");
  } else {
    at.screen.write(
        rendered(status_lines(*all, std::chrono::system_clock::now()), at.screen.free_style()));
  }
  return exit_done;
}

int show_replicas(const session& at) {
  const auto got = at.router.get("/replicas");
  int status = 0;
  if (!good(at, got, status)) {
    return status;
  }
  const auto members = read_pool(got.body);
  if (!members) {
    return not_a_router(at, got);
  }
  if (at.asked.output == output_format::json) {
    write_json(at, got.body);
  } else if (at.asked.output == output_format::name) {
    write_names(at, members->replicas, [](const replica& each) { return each.name; });
  } else {
    at.screen.write(rendered(replica_lines(members->replicas, std::chrono::system_clock::now(),
                                           at.asked.output == output_format::wide),
                             table_style(at)));
  }
  return exit_done;
}

int show_slots(const session& at) {
  const auto got = at.router.get("/slots");
  int status = 0;
  if (!good(at, got, status)) {
    return status;
  }
  const auto slots = read_slots(got.body);
  if (!slots) {
    return not_a_router(at, got);
  }
  if (at.asked.output == output_format::json) {
    write_json(at, got.body);
  } else if (at.asked.output == output_format::name) {
    write_names(at, *slots, [](const slot& each) { return each.name; });
  } else {
    at.screen.write(rendered(slot_lines(*slots, std::chrono::system_clock::now(),
                                        at.asked.output == output_format::wide),
                             table_style(at)));
  }
  return exit_done;
}

int show_health(const session& at) {
  const auto got = at.router.get("/health");
  const auto totals = read_health(got.body);
  if (got.router == reached::no || !totals || totals->status.empty()) {
    return complain(at, got);
  }
  if (at.asked.output == output_format::json) {
    write_json(at, got.body);
  } else {
    at.screen.write(rendered(line{{totals->status, got.good() ? paint::good : paint::bad}},
                             at.screen.free_style()) +
                    "\n");
  }
  return got.good() ? exit_done : exit_refused;
}

int show_version(const session& at) {
  const bool json = at.asked.output == output_format::json;
  if (!json) {
    at.screen.write("fleetctl " + version() + "\n");
  }
  const auto got = at.router.get("/version");
  int status = 0;
  if (!good(at, got, status)) {
    return status;
  }
  if (json) {
    write_json(at, R"({"fleetctl":")" + version() + R"(","router":)" + got.body + "}");
    return exit_done;
  }
  at.screen.write("router " + printable(read_text(got.body, "version")) + " at " +
                  at.asked.router.text() + "\n");
  return exit_done;
}

int check_file(const session& at) {
  const auto& path = at.asked.operands.front();
  auto spec = read_fleet_file(path);
  if (!spec) {
    return complain({exit_refused, printable(spec.error())});
  }
  const char* home = std::getenv("HOME");
  if (const auto missing = resolve_local_files(
          *spec, path, home != nullptr ? std::optional<std::string>(home) : std::nullopt)) {
    return complain({exit_refused, printable(missing->message)});
  }
  at.screen.write(printable_lines(slot_table(*spec)));
  return exit_done;
}

}  // namespace fleet::ctl
