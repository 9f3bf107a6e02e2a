// SPDX-License-Identifier: MIT
#include "launch/support/real_sshd.hpp"

#include "launch/support/procfs.hpp"
#include "system/support/deadline.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fleet::rig {

namespace {

constexpr auto server = "/usr/sbin/sshd";
// Where sshd confines itself when root starts it; its package's service makes it.
constexpr auto separation_folder = "/run/sshd";

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ::bind(probe, generic, size);
  ::getsockname(probe, generic, &size);
  ::close(probe);
  return ntohs(address.sin_port);
}

bool listening(int port) {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = loopback(port);
  const bool connected =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(probe);
  return connected;
}

void make_key(const std::string& path) {
  const auto command = "ssh-keygen -q -t ed25519 -N '' -f '" + path + "'";
  REQUIRE(std::system(command.c_str()) == 0);
}

std::string this_user() {
  const auto* entry = ::getpwuid(::getuid());
  return entry == nullptr ? "" : entry->pw_name;
}

}  // namespace

std::string real_sshd::missing() {
  if (::access(server, X_OK) != 0)
    return "no sshd here: install openssh-server";
  if (this_user().empty())
    return "this user has no name";
  if (::getuid() == 0) {
    std::error_code ec;
    std::filesystem::create_directories(separation_folder, ec);
    if (ec)
      return "sshd needs " + std::string{separation_folder} + ": " + ec.message();
  }
  return {};
}

real_sshd::real_sshd() : key_{folder_.path() + "/user_key"}, user_{this_user()} {
  make_key(key_);
  make_key(folder_.path() + "/host_key");
  start();
  write_client();
}

real_sshd::~real_sshd() {
  down();
}

void real_sshd::down() {
  if (pid_ <= 0)
    return;
  cut();
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void real_sshd::up() {
  REQUIRE(run());
}

// Ends with a server that listens, or with none.
bool real_sshd::run() {
  const auto config = folder_.path() + "/sshd_config";
  const auto log = folder_.path() + "/sshd.log";
  pid_ = ::fork();
  if (pid_ == 0) {
    ::execl(server, server, "-D", "-f", config.c_str(), "-E", log.c_str(), nullptr);
    ::_exit(127);
  }
  bool up = false;
  const auto settled = [&] {
    return (up = listening(port_)) || ::waitpid(pid_, nullptr, WNOHANG) != 0;
  };
  eventually(settled, 60s);
  return up;
}

void real_sshd::start() {
  const auto& at = folder_.path();
  const auto text = [&] {
    return "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " + at +
           "/host_key\nAuthorizedKeysFile " + key_ +
           ".pub\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n";
  };
  // Somebody else may take a free port first.
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port();
    folder_.write("sshd_config", text());
    if (run())
      return;
  }
  FAIL("sshd does not start: " << read_file(at + "/sshd.log"));
}

void real_sshd::write_client() {
  const auto& at = folder_.path();
  folder_.write("client_config", "UserKnownHostsFile " + at + "/known_hosts\n" + "Host " + alias() +
                                     "\n  HostName 127.0.0.1\n  Port " + std::to_string(port_) +
                                     "\n  User " + user_ + "\n  IdentityFile " + key_ + "\n");
  std::filesystem::create_directory(at + "/bin");
  const auto client = folder_.write(
      "bin/ssh", "#!/bin/sh\nPATH=${PATH#*:}\nexec ssh -F '" + at + "/client_config' \"$@\"\n");
  ::chmod(client.c_str(), 0755);
  path_ = std::make_unique<scoped_variable>("PATH", at + "/bin:" + ::getenv("PATH"));
}

std::string real_sshd::destination() const {
  return "ssh://" + user_ + "@127.0.0.1:" + std::to_string(port_);
}

void real_sshd::cut() const {
  for (const auto& each : all_processes())
    if (each.parent == pid_)
      ::kill(each.pid, SIGKILL);
}

}  // namespace fleet::rig
