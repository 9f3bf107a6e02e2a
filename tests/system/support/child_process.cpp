// SPDX-License-Identifier: MIT
#include "system/support/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace fleet::rig {

namespace {

struct pipe_ends {
  unique_fd read;
  unique_fd write;
};

pipe_ends make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe2"};
  return {unique_fd{fds[0]}, unique_fd{fds[1]}};
}

// The child's side between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(char* const* argv, char* const* env, int out, int err,
                         const std::optional<std::size_t>& max_files) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (max_files) {
    const rlimit limit{*max_files, *max_files};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ::execvpe(argv[0], argv, env);
  ::_exit(127);
}

std::vector<char*> as_pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (auto& each : words)
    out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment(const child_setup& setup) {
  std::vector<std::string> out;
  for (auto** each = environ; *each != nullptr; ++each)
    out.emplace_back(*each);
  for (const auto& entry : setup.env) {
    const auto start = entry.first + "=";
    std::erase_if(out, [&](const std::string& line) { return line.starts_with(start); });
    out.push_back(start + entry.second);
  }
  return out;
}

// UBSan ends a process and tells its stderr alone; no test may miss that.
void judge(const std::string& said) {
  if (said.find(": runtime error: ") != std::string::npos) {
    std::fputs(said.c_str(), stderr);
    std::abort();
  }
}

std::filesystem::path proc(pid_t pid, const char* entry) {
  return std::filesystem::path{"/proc"} / std::to_string(pid) / entry;
}

}  // namespace

child_process::child_process(const child_setup& setup) {
  auto out = make_pipe();
  auto err = make_pipe();
  auto words = setup.argv;
  auto lines = environment(setup);
  auto argv = as_pointers(words);
  auto env = as_pointers(lines);
  const int err_fd = setup.error_fd >= 0 ? setup.error_fd : err.write.get();
  pid_ = ::fork();
  if (pid_ < 0)
    throw std::system_error{errno, std::generic_category(), "fork"};
  if (pid_ == 0)
    become(argv.data(), env.data(), out.write.get(), err_fd, setup.max_files);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
  collector_ = std::thread{[this] { collect(); }};
}

child_process::~child_process() {
  if (running()) {
    signal(SIGKILL);
    wait_exit();
  }
  stop_ = true;
  collector_.join();
  judge(error_text_);
}

void child_process::collect() {
  std::array<pollfd, 2> entries{pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0}};
  std::array<char, 65536> block;
  while (!stop_ && (entries[0].fd >= 0 || entries[1].fd >= 0)) {
    if (::poll(entries.data(), entries.size(), 50) <= 0)
      continue;
    for (auto& entry : entries) {
      if (entry.fd < 0 || entry.revents == 0)
        continue;
      const auto got = ::read(entry.fd, block.data(), block.size());
      if (got <= 0) {
        entry.fd = -1;
        continue;
      }
      const std::lock_guard lock{mutex_};
      (&entry == &entries[0] ? output_text_ : error_text_)
          .append(block.data(), static_cast<std::size_t>(got));
    }
  }
  collected_ = true;
}

void child_process::drain() const {
  eventually([this] { return collected_.load(); });
}

std::string child_process::output_text() const {
  const std::lock_guard lock{mutex_};
  return output_text_;
}

std::string child_process::error_text() const {
  const std::lock_guard lock{mutex_};
  return error_text_;
}

void child_process::signal(int number) const {
  ::kill(pid_, number);
}

std::optional<int> child_process::wait_exit(milliseconds limit) {
  if (status_)
    return status_;
  const bool ended = eventually(
      [this] {
        int raw = 0;
        if (::waitpid(pid_, &raw, WNOHANG) != pid_)
          return false;
        status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
        return true;
      },
      limit);
  return ended ? status_ : std::nullopt;
}

std::size_t child_process::resident_kib() const {
  std::ifstream in{proc(pid_, "statm")};
  std::size_t total = 0;
  std::size_t resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

std::size_t child_process::descriptors() const {
  std::error_code ignored;
  std::filesystem::directory_iterator entries{proc(pid_, "fd"), ignored};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t child_process::threads() const {
  std::error_code ignored;
  std::filesystem::directory_iterator entries{proc(pid_, "task"), ignored};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

milliseconds child_process::cpu_time() const {
  std::ifstream in{proc(pid_, "stat")};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  // Fields 14 and 15; the second field is a name that may hold blanks but ends at the last ')'.
  std::istringstream rest{text.substr(text.rfind(')') + 1)};
  std::string skipped;
  for (int field = 3; field < 14; ++field)
    rest >> skipped;
  long user = 0;
  long kernel = 0;
  rest >> user >> kernel;
  return milliseconds{(user + kernel) * 1000 / ::sysconf(_SC_CLK_TCK)};
}

}  // namespace fleet::rig
