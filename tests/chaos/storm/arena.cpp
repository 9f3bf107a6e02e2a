// SPDX-License-Identifier: MIT
#include "chaos/storm/arena.hpp"

#include "system/support/launched_fleet.hpp"
#include "system/support/requests.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <unistd.h>

namespace fleet::chaos {

namespace json = boost::json;

namespace {

constexpr std::string_view token = "chaos-token";

// A file system of 64 KiB that is gone with this process; needs root.
bool mount_small(const std::string& at) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=64k") == 0;
}

using environment = std::vector<std::pair<std::string, std::string>>;

// A sanitizer's library wants to be the first that is loaded. While LeakSanitizer looks it has a
// twin of the process, which the watcher would take for a second one on that device.
environment clock_setting([[maybe_unused]] const std::string& file) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {{"LSAN_OPTIONS", "detect_leaks=0"}};
#else
  return {{"LD_PRELOAD", FLEET_CLOCK_LIBRARY}, {"FLEET_CLOCK_FILE", file}};
#endif
}

std::string whole_file(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

arena::arena(arena_setup setup, ledger& book)
    : setup_{std::move(setup)},
      book_{book},
      base_{rig::free_ports(devices + 1)},
      port_{static_cast<std::uint16_t>(base_ + devices)},
      disk_{setup_.folder + "/disk"},
      fleet_file_{setup_.folder + "/fleet.json"},
      token_file_{setup_.folder + "/token"},
      clock_file_{setup_.folder + "/clock"} {
  std::filesystem::create_directory(disk_);
  small_disk_ = mount_small(disk_);
  std::ofstream{fleet_file_} << fleet_text();
  std::ofstream{token_file_} << token;
  step_clock(0s);
  std::filesystem::permissions(token_file_, std::filesystem::perms::owner_read);
}

arena::~arena() {
  process_.reset();
  if (small_disk_)
    ::umount2(disk_.c_str(), MNT_DETACH);
}

std::string arena::file_for(const char* what, std::size_t device) const {
  return setup_.folder + "/" + what + "-" + std::to_string(device);
}

std::string arena::fleet_text() const {
  const auto& folder = setup_.folder;
  const json::array words{"--name",
                          "n-d{device}",
                          "--echo",
                          "--tokens",
                          std::to_string(most_tokens),
                          "--token-delay-ms",
                          "15",
                          "--load-seconds",
                          "0.5",
                          "--fault-file",
                          folder + "/fault-{device}",
                          "--unhealthy-file",
                          folder + "/sick-{device}"};
  const json::object host{{"name", "n"},
                          {"devices", json::array{0, 1, 2, 3}},
                          {"port_base", base_},
                          {"model", "/m"},
                          {"serve_command", json::array{FLEET_STUB_BINARY}},
                          {"serve_args", words},
                          {"env", json::object{{"FLEET_CHAOS", folder}}},
                          {"log_dir", folder + "/replicas"}};
  return json::serialize(json::object{{"hosts", json::array{host}}});
}

void arena::step_clock(std::chrono::seconds off) const {
  // In place: the clocks have it mapped.
  const std::int64_t seconds = off.count();
  const rig::unique_fd file{::open(clock_file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  if (::pwrite(file.get(), &seconds, sizeof seconds, 0) != sizeof seconds)
    book_.fail("the clock cannot be stepped");
}

bool arena::listens() const {
  return rig::get(port_, "/openapi.json").status() == 200;
}

bool arena::start_router() {
  const auto log = setup_.folder + "/router.log";
  const rig::unique_fd err{::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  std::vector<std::string> argv{FLEET_ROUTER_BINARY, "--replicas", fleet_file_, "--state-file",
                                state_file(), "--admin-token-file", token_file_, "--host",
                                "127.0.0.1", "--port", std::to_string(port_), "--threads", "2",
                                "--initial-replicas", std::to_string(devices),
                                // A conversation stays where it is, however busy that is.
                                "--affinity-slack", "1000"};
  for (const auto& [flag, seconds] :
       std::initializer_list<std::pair<const char*, const char*>>{{"--health-interval", "0.5"},
                                                                  {"--request-timeout", "30"},
                                                                  {"--replace-after", "2"},
                                                                  {"--stable-after", "5"},
                                                                  {"--launch-timeout", "20"},
                                                                  {"--stop-grace", "3"},
                                                                  {"--drain-timeout", "20"}})
    argv.insert(argv.end(), {flag, seconds});
  process_ =
      std::make_unique<rig::child_process>(rig::child_setup{.argv = argv,
                                                            .env = clock_setting(clock_file_),
                                                            .max_files = router_files,
                                                            .error_fd = err.get()});
  const bool up =
      rig::eventually([this] { return listens() || !process_->running(); }, 60s) && listens();
  if (!up) {
    book_.fail("the router does not listen, exit status " +
               std::to_string(process_->wait_exit(0ms).value_or(-1)));
    return false;
  }
  book_.note("router listens, pid " + std::to_string(process_->pid()));
  book_.heal(harm_);
  running_ = true;
  return true;
}

void arena::kill_router() {
  harm_ = book_.begin_harm(harm::router, "");
  ++epoch_;
  running_ = false;
  process_->signal(SIGKILL);
  process_->wait_exit();
  book_.note("router killed");
}

std::optional<int> arena::end_router(rig::milliseconds limit) {
  harm_ = book_.begin_harm(harm::router, "");
  ++epoch_;
  book_.note("router told to end");
  process_->signal(SIGTERM);
  const auto status = process_->wait_exit(limit);
  running_ = false;
  book_.note("router ended with " + std::to_string(status.value_or(-1)));
  return status;
}

rig::message arena::admin(std::string_view method, const std::string& target, std::string_view body,
                          rig::milliseconds limit) const {
  const auto fields = "Connection: close\r\nAuthorization: Bearer " + std::string{token} + "\r\n";
  return rig::exchange_once(port_, rig::request(method, target, body, fields), method, limit);
}

std::optional<std::vector<slot_row>> arena::slots() const {
  const auto answer = admin("GET", "/slots", "", 30s);
  if (answer.status() != 200 || !answer.complete())
    return std::nullopt;
  std::vector<slot_row> rows;
  const auto document = json::parse(answer.body);
  for (const auto& each : document.at("slots").as_array())
    rows.push_back({json::value_to<std::string>(each.at("name")),
                    json::value_to<std::size_t>(each.at("devices").at(0)),
                    json::value_to<std::string>(each.at("stage"))});
  return rows;
}

std::string arena::defects() const {
  std::istringstream log{whole_file(setup_.folder + "/router.log")};
  std::string found;
  for (std::string line; std::getline(log, line);)
    for (const char* event : {" actor_died", " prober_failed", " pin_lookup_failed",
                              " slot_move_refused", "terminate called", "Sanitizer"})
      if (line.find(event) != std::string::npos)
        found += line + "\n";
  return found;
}

std::string arena::log_tail(std::size_t lines) const {
  const auto text = whole_file(setup_.folder + "/router.log");
  auto at = text.size();
  for (std::size_t i = 0; i <= lines && at != std::string::npos; ++i)
    at = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return at == std::string::npos ? text : text.substr(at + 1);
}

}  // namespace fleet::chaos
