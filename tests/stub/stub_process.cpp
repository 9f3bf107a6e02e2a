// SPDX-License-Identifier: MIT
#include "stub_process.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

std::string read_line(int from, std::chrono::milliseconds limit) {
  const auto deadline = clock_type::now() + limit;
  std::string line;
  char byte = 0;
  while (!line.ends_with('\n')) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_type::now());
    pollfd wanted{.fd = from, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&wanted, 1, static_cast<int>(left.count())) <= 0 ||
        ::read(from, &byte, 1) != 1) {
      break;
    }
    line += byte;
  }
  return line;
}

}  // namespace

stub_process::stub_process(std::vector<std::string> flags, std::vector<std::string> environment) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return;
  }
  flags.insert(flags.begin(), FLEET_STUB_BINARY);
  environment.emplace_back("STUB_PORT=0");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  auto argv = pointers(flags);
  auto envp = pointers(environment);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  if (::posix_spawn(&pid_, argv[0], &files, nullptr, argv.data(), envp.data()) != 0) {
    pid_ = -1;
  }
  ::posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  output_ = ends[0];
}

stub_process::~stub_process() {
  signal(SIGKILL);
  exit_status();
  ::close(output_);
}

std::string stub_process::line_with(std::string_view text) const {
  for (;;) {
    auto line = read_line(output_, std::chrono::seconds(10));
    if (line.empty() || line.find(text) != std::string::npos) {
      return line;
    }
  }
}

std::uint16_t stub_process::port() {
  if (port_ == 0) {
    const auto line = line_with("listening");
    const auto colon = line.rfind(':');
    port_ = colon == std::string::npos
                ? std::uint16_t{0}
                : static_cast<std::uint16_t>(std::atoi(line.c_str() + colon + 1));
  }
  return port_;
}

void stub_process::signal(int number) const {
  if (pid_ > 0 && !status_) {
    ::kill(pid_, number);
  }
}

std::optional<int> stub_process::exit_status(std::chrono::milliseconds limit) {
  const auto deadline = clock_type::now() + limit;
  while (pid_ > 0 && !status_) {
    int raw = 0;
    if (::waitpid(pid_, &raw, WNOHANG) == pid_) {
      status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    } else if (clock_type::now() >= deadline) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return status_;
}
