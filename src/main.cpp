// SPDX-License-Identifier: MIT
// The router process: settings, lanes, actors, listeners, and the order in which they end.
#include "service_manager.hpp"
#include "stderr_log.hpp"

#include "fleet/actors/lane_scheduler.hpp"
#include "fleet/actors/system.hpp"
#include "fleet/config/fleet_file.hpp"
#include "fleet/config/settings.hpp"
#include "fleet/http/access_log.hpp"
#include "fleet/http/event_ring.hpp"
#include "fleet/http/fleet_tally.hpp"
#include "fleet/http/lane_threads.hpp"
#include "fleet/http/prober.hpp"
#include "fleet/http/server.hpp"
#include "fleet/launch/commander_actor.hpp"
#include "fleet/launch/journal_actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

constexpr int exit_refused = 1;
/// After the last turn: for connections that hold a half-sent request and would hear 503 anyway.
constexpr std::chrono::seconds goodbye{1};
constexpr std::chrono::milliseconds signal_poll{20};
/// A launch and a stop command, one after the other, may each take two minutes.
constexpr std::chrono::minutes commands_at_the_end{5};

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

int refuse(const std::string& why) {
  std::cerr << "pypto-serving-router: " << why << "\n";
  return exit_refused;
}

/// The signals that end the router, and SIGUSR1, blocked before any thread exists so that only main
/// sees them. SIGHUP is not one of them where whoever started it has it ignored, as nohup does.
/// Writing to a peer or a log reader that has gone, or to a file that may not grow, is an error
/// code, never a signal.
sigset_t take_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN) {
    sigaddset(&ending, SIGHUP);
  }
  sigaddset(&ending, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  std::signal(SIGUSR2, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return ending;
}

/// A descriptor per client and one per replica connection: the soft limit of old is for select().
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

/// A probe for each replica, and for each slot what one command holds: its outputs and itself.
std::size_t descriptors_for(const fleet::fleet_spec& spec) {
  static constexpr std::size_t probe = 1;
  static constexpr std::size_t command = 3;
  return spec.replicas.size() * probe + spec.slots.size() * (probe + command);
}

fleet::http::http_settings http_part(const fleet::settings& given, const fleet::fleet_spec& spec) {
  fleet::http::http_settings http;
  http.fleet_descriptors = descriptors_for(spec);
  http.request_timeout = given.request_timeout;
  http.connect_timeout = given.routing.connect_timeout;
  http.max_body = static_cast<std::size_t>(given.max_body);
  http.max_bodies = static_cast<std::size_t>(given.max_bodies);
  http.max_clients = given.max_clients.value_or(0);
  http.header_timeout = given.header_timeout;
  http.client_timeout = given.client_timeout;
  http.idle_timeout = given.idle_timeout;
  http.admin_token = given.admin_token;
  http.version = fleet::version();
  http.metrics_open = given.metrics_open;
  http.trace = given.trace;
  return http;
}

fleet::launch_settings launch_part(const fleet::settings& given, const fleet::pool_limits& pool) {
  return {.launch_timeout = given.launch_timeout,
          .drain_timeout = given.drain_timeout,
          .stop_grace = given.stop_grace,
          .replace_after = given.replace_after,
          .stable_after = given.stable_after,
          .initial_replicas = pool.initial,
          .ceiling = pool.ceiling};
}

/// 128 random bits in hex: an instance is never used again, whichever router launched it.
std::string mint_instance() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(),
                random());
  return text.data();
}

/// Tells the events of this process from those of an earlier one.
std::string mint_boot() {
  return mint_instance().substr(0, 8);
}

/// Ready when the supervisor has retired what it launched and the last turn is over. `words`: the
/// shutdown_atom, and hurry_atom to drain no longer.
template <class... Words>
std::shared_future<void> ask_shutdown(caf::actor_system& system,
                                      const fleet::supervisor_actor& supervisor, Words... words) {
  auto done = std::make_shared<std::promise<void>>();
  auto future = done->get_future().share();
  system.spawn([done, supervisor, words...](caf::event_based_actor* self) {
    self->request(supervisor, caf::infinite, words...)
        .then([done] { done->set_value(); }, [done](const caf::error&) { done->set_value(); });
  });
  return future;
}

/// The slots whose devices may be held by what could not be stopped.
std::vector<fleet::unconfirmed_slot> still_held(caf::actor_system& system,
                                                const fleet::supervisor_actor& supervisor) {
  auto held = std::make_shared<std::promise<fleet::capacity_view>>();
  auto answer = held->get_future();
  system.spawn([held, supervisor](caf::event_based_actor* self) {
    self->request(supervisor, caf::infinite, fleet::capacity_atom::value)
        .then([held](fleet::capacity_view& view) { held->set_value(std::move(view)); },
              [held](const caf::error&) { held->set_value({}); });
  });
  return answer.get().unconfirmed;
}

void log_end(const std::vector<fleet::unconfirmed_slot>& held, fleet::logger& log) {
  if (held.empty()) {
    log.info("stopped");
    return;
  }
  std::string names;
  for (const auto& each : held) {
    names += (names.empty() ? "" : " ") + each.slot;
  }
  log.warn("stopped", {{"unconfirmed", std::to_string(held.size())}, {"slots", names}});
}

/// Waits for a signal that ends the router; returns its number, 0 when `limit` passes first or
/// something else ended the wait. Has the access log reopened meanwhile.
int wait_for_signal(const sigset_t& ending, fleet::http::access_log* access,
                    std::chrono::nanoseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec time{seconds.count(), (limit - seconds).count()};
  const int signal = sigtimedwait(&ending, nullptr, &time);
  if (signal == SIGUSR1 && access != nullptr) {
    access->reopen();
  }
  return signal > 0 && signal != SIGUSR1 ? signal : 0;
}

/// Contract section 8: finish what is in flight, at most for the drain time, and stop whatever was
/// launched. The end of that time or a second signal ends the drain, never the stopping.
void drain(const sigset_t& ending, fleet::http::access_log* access, caf::actor_system& system,
           const fleet::running_fleet& actors, fleet::http::server& server,
           std::chrono::nanoseconds drain_timeout, fleet::logger& log) {
  using clock = std::chrono::steady_clock;
  const auto over = clock::now() + drain_timeout;
  server.stop_accepting();
  const auto quiet = ask_shutdown(system, actors.supervisor, fleet::shutdown_atom::value);
  while (quiet.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    const bool again = wait_for_signal(ending, access, signal_poll) != 0;
    if (again || clock::now() >= over) {
      log.warn(again ? "second_signal" : "drain_timeout",
               {{"effect", "turns are not waited for any longer"}});
      const auto hurried = ask_shutdown(system, actors.supervisor, fleet::shutdown_atom::value,
                                        fleet::hurry_atom::value);
      server.cut_turns();
      hurried.wait();
      break;
    }
  }
  server.end_events();
  server.wait_until_idle(goodbye);
}

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

int serve(const fleet::settings& given, fleet::fleet_spec spec, const fleet::pool_limits& pool,
          std::optional<fleet::journal> journal, const sigset_t& ending,
          std::string notify_socket) {
  fleet::stderr_log lines(given.level, given.format);
  fleet::http::event_ring events(mint_boot());
  fleet::http::fleet_tally tally(lines);
  fleet::http::event_log log(tally, events, [] { return std::chrono::system_clock::now(); });
  fleet::service_manager manager(std::move(notify_socket), log);
  for (const auto& warning : spec.warnings) {
    log.warn("fleet_file", {{"warning", warning}});
  }
  fleet::http::lane_threads lanes(given.threads);
  std::unique_ptr<fleet::http::access_log> access;
  if (!given.access_log.empty()) {
    auto opened = fleet::http::access_log::open(given.access_log, log);
    if (!opened) {
      return refuse(opened.error());
    }
    access = *std::move(opened);
  }
  fleet::http::server server(lanes, http_part(given, spec), log, events,
                             {.access = access.get(), .tally = &tally});
  if (!spec.slots.empty() && given.admin_token.empty() && !is_loopback(given.host)) {
    log.warn("admin_api_open", {{"reason",
                                 "anyone who reaches the port can launch and stop "
                                 "replicas; set --admin-token-file"}});
  }
  const auto url = server.bind(given.host, given.port);
  if (!url) {
    return refuse(url.error());
  }
  std::vector<fleet::unconfirmed_slot> held;
  {
    caf::actor_system_config config;
    fleet::use_lanes(config, lanes);
    caf::actor_system system(config);
    const auto replicas = spec.replicas.size();
    const auto slots = spec.slots.size();
    fleet::commander_actor commander;
    if (slots != 0) {
      commander = fleet::spawn_commander(system, {});
    }
    std::vector<fleet::slot_record> recorded;
    fleet::journal_actor keeper;
    if (journal) {
      recorded = journal->records();
      log.info("state_file",
               {{"file", given.state_file}, {"recorded", std::to_string(recorded.size())}});
      keeper = fleet::spawn_journal(system, *std::exchange(journal, std::nullopt));
    }
    auto actors = fleet::start_fleet(system,
                                     {.routing = given.routing,
                                      .launch = launch_part(given, pool),
                                      .statics = std::move(spec.replicas),
                                      .hosts = std::move(spec.hosts),
                                      .slots = std::move(spec.slots),
                                      .prober = fleet::http::spawn_prober(system, lanes),
                                      .commander = std::move(commander),
                                      .journal = std::move(keeper),
                                      .recorded = std::move(recorded),
                                      .started_at = std::chrono::system_clock::now(),
                                      .mint_instance = mint_instance,
                                      .fronts = lanes.lanes()},
                                     log);
    server.start(system, actors.fronts);
    log.info("listening", {{"url", *url},
                           {"replicas", std::to_string(replicas)},
                           {"slots", std::to_string(slots)},
                           {"lanes", std::to_string(lanes.lanes())},
                           {"version", fleet::version()}});
    manager.ready(*url);
    int signal = 0;
    while (signal == 0) {
      signal = wait_for_signal(ending, access.get(), std::chrono::hours(1));
    }
    log.info("stopping", {{"signal", std::to_string(signal)}});
    manager.stopping(given.drain_timeout + 2 * given.stop_grace + commands_at_the_end);
    drain(ending, access.get(), system, actors, server, given.drain_timeout, log);
    server.close();
    held = still_held(system, actors.supervisor);
    fleet::stop_fleet(actors);
    system.await_all_actors_done();
  }
  log_end(held, log);
  return EXIT_SUCCESS;
}

int run(const fleet::settings& given) {
  auto spec = fleet::read_fleet_file(given.fleet_file);
  if (!spec) {
    return refuse(spec.error());
  }
  if (const auto missing =
          fleet::resolve_local_files(*spec, given.fleet_file, environment("HOME"))) {
    return refuse(missing->message);
  }
  const auto pool = fleet::limits_of_pool(given, *spec);
  if (!pool) {
    return refuse(pool.error());
  }
  if (given.check) {
    std::cout << fleet::slot_table(*spec);
    for (const auto& warning : spec->warnings) {
      std::cerr << "pypto-serving-router: warning: " << warning << "\n";
    }
    return EXIT_SUCCESS;
  }
  const auto ending = take_signals();
  auto notify_socket = fleet::take_notify_socket();
  raise_descriptor_limit();
  std::optional<fleet::journal> journal;
  if (!given.state_file.empty()) {
    auto opened = fleet::journal::open(given.state_file);
    if (!opened) {
      return refuse(opened.error());
    }
    journal = *std::move(opened);
  }
  return serve(given, std::move(*spec), *pool, std::move(journal), ending,
               std::move(notify_socket));
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = fleet::parse_command_line(argc, argv, environment);
  if (const auto* early = std::get_if<fleet::early_exit>(&line)) {
    (early->status == 0 ? std::cout : std::cerr) << early->text;
    return early->status;
  }
  return run(std::get<fleet::settings>(line));
}
