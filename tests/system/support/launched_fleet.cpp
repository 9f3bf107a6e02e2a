// SPDX-License-Identifier: MIT
#include "system/support/launched_fleet.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace fleet::rig {

namespace {

bool is_free(std::uint16_t port) {
  const unique_fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_ANY);
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
}

// Empty when the process ends meanwhile: procfs then fails in the middle of a read.
std::string text_of(const std::string& path) {
  const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto got = ::read(fd.get(), piece.data(), piece.size());
    if (got <= 0)
      return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

// State and parent of a process, 'X' and 0 when it is gone.
std::pair<char, int> state_of(const std::string& pid) {
  const auto stat = text_of("/proc/" + pid + "/stat");
  const auto behind = stat.rfind(") ");
  if (behind == std::string::npos)
    return {'X', 0};
  return {stat[behind + 2], std::stoi(stat.substr(behind + 4))};
}

std::vector<std::string> processes() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") == std::string::npos)
      out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

std::uint16_t free_ports(std::size_t count) {
  // Each process of a parallel run looks in its own part, below the ports the system hands out.
  static std::atomic<unsigned> next = static_cast<unsigned>(::getpid()) * 64;
  for (int tries = 0; tries < 10'000; ++tries) {
    const auto base = static_cast<std::uint16_t>(12'000 + next.fetch_add(8) % 20'000);
    std::size_t good = 0;
    while (good < count && is_free(static_cast<std::uint16_t>(base + good)))
      ++good;
    if (good == count)
      return base;
  }
  throw std::runtime_error{"no free ports"};
}

std::vector<int> stubs_on(std::uint16_t port) {
  std::vector<int> out;
  const std::string wanted = std::string{"--port"} + '\0' + std::to_string(port) + '\0';
  for (const auto& pid : processes()) {
    const auto line = text_of("/proc/" + pid + "/cmdline");
    if (line.starts_with(FLEET_STUB_BINARY) && line.find(wanted) != std::string::npos &&
        state_of(pid).first != 'Z')
      out.push_back(std::stoi(pid));
  }
  return out;
}

bool falls_silent(std::uint16_t port) {
  return eventually([&] { return connect_to("127.0.0.1", port).get() < 0; });
}

std::size_t zombies_of(int parent) {
  std::size_t count = 0;
  for (const auto& pid : processes()) {
    const auto [state, of] = state_of(pid);
    count += state == 'Z' && of == parent ? 1 : 0;
  }
  return count;
}

std::string stub_host::entry() const {
  std::string list;
  for (std::size_t i = 0; i < devices; ++i)
    list += (i == 0 ? "" : ",") + std::to_string(i);
  std::string words;
  for (const auto& arg : args)
    words += (words.empty() ? "\"" : ",\"") + arg + "\"";
  return R"({"name":")" + name + R"(","devices":[)" + list + R"(],"port_base":)" +
         std::to_string(port_base) +
         R"(,"model":"/m","serve_command":[")" FLEET_STUB_BINARY R"("],"serve_args":[)" + words +
         R"(],"log_dir":")" + log_dir + "\"" + more + "}";
}

std::string fleet_of(const stub_host& host) {
  return R"({"hosts":[)" + host.entry() + "]}";
}

bool launched_ready(std::uint16_t port, std::string_view name) {
  return eventually([&] {
    const auto view = health(port);
    return std::any_of(view.replicas.begin(), view.replicas.end(),
                       [&](const replica_view& r) { return r.name == name && r.ready; });
  });
}

message admin(std::uint16_t port, std::string_view method, std::string_view target,
              std::string_view body) {
  return exchange_once(port, request(method, target, body, "Connection: close\r\n"), method, 30s);
}

launched_pool::launched_pool(stub_host given, std::vector<std::string> flags,
                             const std::string& statics, std::optional<std::size_t> max_files)
    : host(std::move(given)) {
  if (host.log_dir.empty())
    host.log_dir = dir.path();
  flags.insert(flags.end(), {"--stop-grace", "5"});
  router.emplace(
      router_setup{.fleet = R"({"replicas":[)" + statics + R"(],"hosts":[)" + host.entry() + "]}",
                   .flags = std::move(flags),
                   .max_files = max_files});
}

launched_pool::~launched_pool() {
  router.reset();
  for (std::size_t i = 0; i < host.devices; ++i)
    for (const int pid : stubs_on(host.port(i)))
      ::kill(pid, SIGKILL);
}

bool launched_pool::capacity_has(std::string_view text) const {
  return eventually(
      [&] { return admin(port(), "GET", "/replicas").body.find(text) != std::string::npos; });
}

std::string launched_pool::log_of(const std::string& slot) const {
  std::ifstream in{host.log_dir + "/" + slot + ".log"};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace fleet::rig
